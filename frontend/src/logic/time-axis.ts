/** The texts under the ticks of a time axis, in local time and no longer than is needed to tell them apart. */

const MINUTE = 60_000
const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' })
const minute = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
const second = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
})

/** One text for each tick: `Nov 22` at midnight, else `18:30`; all with seconds, `18:30:05`, if any tick needs them. */
export function tickTimes(ticks: readonly Date[]): string[] {
  const hasSeconds = ticks.some((tick) => tick.getSeconds() !== 0)
  return ticks.map((tick) => (hasSeconds ? second : isMidnight(tick) ? day : minute).format(tick))
}

function isMidnight(tick: Date): boolean {
  return tick.getHours() === 0 && tick.getMinutes() === 0
}

/** The ends of an axis: the first and the last instant, or the minute around a single one. */
export function timeSpan(instants: readonly Date[]): [Date, Date] {
  const first = instants[0]?.getTime() ?? 0
  const last = instants.at(-1)?.getTime() ?? 0
  return last > first ? [new Date(first), new Date(last)] : [new Date(first - MINUTE / 2), new Date(first + MINUTE / 2)]
}
