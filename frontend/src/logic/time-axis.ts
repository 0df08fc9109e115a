/** What stands under the ticks of an axis of time, on the reader's clock: only as much as tells one from the next. */

const MINUTE = 60_000
const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' })
const minute = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
const second = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
})

/** Midnight is a day, and where one tick has seconds all have: Nov 22, 06:00 · 18:29, 18:30 · 18:30:00, 18:30:05. */
export function tickTimes(ticks: readonly Date[]): string[] {
  const isFine = ticks.some((at) => at.getSeconds() !== 0)
  return ticks.map((at) => (isFine ? second : isMidnight(at) ? day : minute).format(at))
}

function isMidnight(at: Date): boolean {
  return at.getHours() === 0 && at.getMinutes() === 0
}

/** From the first instant to the last; one alone stands in the middle of a minute. */
export function timeSpan(instants: readonly Date[]): [Date, Date] {
  const first = instants[0]?.getTime() ?? 0
  const last = instants.at(-1)?.getTime() ?? 0
  return last > first ? [new Date(first), new Date(last)] : [new Date(first - MINUTE / 2), new Date(first + MINUTE / 2)]
}
