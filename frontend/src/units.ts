/** How numbers, units and times are written; everything that the workbench shows is formatted here. */

export type Milliseconds = number
export type Bytes = number

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 })

/** 1,234 or 2.5: whole numbers and numbers from 100 on without decimals, others with one. */
export function formatCount(value: number): string {
  return Number.isInteger(value) || Math.abs(value) >= 100 ? whole.format(value) : String(Number(value.toFixed(1)))
}

/** Two or three significant digits: 0.084 ms, 3.2 ms, 153 ms, 1.24 s. */
export function formatMs(value: Milliseconds | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return '–'
  if (value >= 10_000) return `${Number((value / 1000).toPrecision(3))} s`
  if (value >= 1000) return `${(value / 1000).toFixed(2)} s`
  if (value >= 100) return `${value.toFixed(0)} ms`
  if (value >= 10) return `${value.toFixed(1)} ms`
  return `${value === 0 ? '0' : value.toPrecision(2)} ms`
}

/** A round number at an axis: 0.5 ms, 20 ms, 1 s. */
export function formatTick(value: Milliseconds): string {
  return value >= 1000 ? `${Number((value / 1000).toPrecision(2))} s` : `${Number(value.toPrecision(2))} ms`
}

/** 840 B, 1.2 kB, 3.45 MB. */
export function formatBytes(value: Bytes | null | undefined): string {
  if (value === null || value === undefined) return '–'
  if (value < 1000) return `${value} B`
  if (value < 1_000_000) return `${Number((value / 1000).toPrecision(3))} kB`
  return `${Number((value / 1_000_000).toPrecision(3))} MB`
}

/** $0.0253 or $1,235: three digits that count, never rounded down, since it may stand behind a ≤. */
export function formatDollars(value: number): string {
  if (value === 0) return '$0'
  const digits = Math.max(0, 2 - Math.floor(Math.log10(value)))
  const scale = 10 ** digits
  const rounded = Math.ceil(Number((value * scale).toPrecision(12))) / scale
  return `$${rounded.toLocaleString('en', { maximumFractionDigits: digits })}`
}

/** 0.995 → `99.5 %`; `digits` are the most decimals. */
export function formatPercent(share: number | null | undefined, digits = 1): string {
  if (share === null || share === undefined) return '–'
  return `${Number((share * 100).toFixed(digits))} %`
}

/** 95 → "1 min 35 s". */
export function formatDuration(seconds: number | null | undefined): string {
  if (seconds === null || seconds === undefined || !Number.isFinite(seconds)) return '–'
  const total = Math.max(0, Math.round(seconds))
  const hours = Math.floor(total / 3600)
  const minutes = Math.floor((total % 3600) / 60)
  const rest = total % 60
  if (hours > 0) return minutes > 0 ? `${hours} h ${minutes} min` : `${hours} h`
  if (minutes > 0) return rest > 0 ? `${minutes} min ${rest} s` : `${minutes} min`
  return `${rest} s`
}

const clock = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hour12: false,
})
const day = new Intl.DateTimeFormat(undefined, {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  hour12: false,
})

const dayOfYear = new Intl.DateTimeFormat(undefined, { year: 'numeric', month: 'short', day: 'numeric' })

/** The local time of day of an instant of the server, which is in UTC. */
export function formatTime(iso: string | null | undefined): string {
  const instant = parseInstant(iso)
  return instant ? clock.format(instant) : '–'
}

/** The local day of an instant: with the time in this year, else with the year. */
export function formatDay(iso: string | null | undefined): string {
  const instant = parseInstant(iso)
  if (!instant) return '–'
  return instant.getFullYear() === new Date().getFullYear() ? day.format(instant) : dayOfYear.format(instant)
}

/** `1 row`, `3 rows`; `many` is for plurals that do not end in s. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`
}

function parseInstant(iso: string | null | undefined): Date | null {
  if (!iso) return null
  const instant = new Date(/[zZ]|[+-]\d\d:?\d\d$/.test(iso) ? iso : `${iso}Z`)
  return Number.isNaN(instant.getTime()) ? null : instant
}

const stamp = new Intl.DateTimeFormat(undefined, {
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hour12: false,
})

/** A stored instant in local time with date, seconds, and all digits of its fraction of a second. */
export function formatTimestamp(iso: string): string {
  const instant = parseInstant(iso)
  if (!instant) return iso
  const fraction = /:\d\d\.(\d*?)0*(?:[zZ]|[+-]\d\d:?\d\d)?$/.exec(iso)?.[1]
  if (!fraction) return stamp.format(instant)
  const parts = stamp.formatToParts(instant)
  return parts.map(({ type, value }) => (type === 'second' ? `${value}.${fraction}` : value)).join('')
}
