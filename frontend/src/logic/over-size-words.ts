/**
 * The p99 of a query over the size of what it read, in words and as places of a chart. Pure.
 *
 *     classes of sizes  →  along requests, or along rows where all make as many requests  →  a place, a name, a sentence
 */
import { formatCount, formatMs, plural } from '../units'
import { aboutMs, type Estimate } from './estimate'

/** Executions whose sizes count as one; the p99 is null where they are too few to show one. */
export interface SizeClass {
  least_requests: number
  requests: number
  least_rows: number
  rows: number
  executions: number
  p99_ms: number | null
  p99_low_ms: number | null
  p99_high_ms: number | null
  predicted_least: Estimate | null
  predicted: Estimate | null
}

export type SizeAxis = 'requests' | 'rows'

/** What the classes differ in: the requests, or the rows where all of them make as many requests. */
export function axisOf(classes: readonly SizeClass[]): SizeAxis {
  const requests = new Set(classes.map((of) => of.requests))
  return requests.size === 1 && new Set(classes.map((of) => of.rows)).size > 1 ? 'rows' : 'requests'
}

/** `1`, or `4 to 7`. */
export function rangeText(least: number, most: number): string {
  return least === most ? formatCount(most) : `${formatCount(least)} to ${formatCount(most)}`
}

/** The interval of a p99; `from 34.5 ms` where there are too few executions for its upper end. */
export function p99IntervalText({ p99_ms: p99, p99_low_ms: low, p99_high_ms: high }: SizeClass): string | null {
  if (p99 === null || (low === null && high === null)) return null
  if (high === null) return `from ${formatMs(low)}`
  return low === null ? `up to ${formatMs(high)}` : `${formatMs(low)} … ${formatMs(high)}`
}

/** What is predicted for a class: from its smallest to its largest size, where these differ. */
export function predictedText({ predicted_least: least, predicted }: SizeClass): string {
  if (!predicted) return '–'
  const most = aboutMs(predicted.typical_p99_ms)
  const from = least ? aboutMs(least.typical_p99_ms) : most
  return from === most ? most : `${from} to ${formatMs(predicted.typical_p99_ms)}`
}

/** How the p99 goes with the size, as far as the executions show one. */
export function overSizeText(classes: readonly SizeClass[], needed: number): string {
  const [first] = classes
  if (!first) return ''
  const judged = classes.filter(({ p99_ms: p99 }) => p99 !== null)
  const shown =
    judged.length === classes.length
      ? ''
      : `${formatCount(judged.length)} of ${plural(classes.length, 'class', 'classes')} of sizes ${judged.length === 1 ? 'has' : 'have'} the ${plural(needed, 'execution')} that show a p99.`
  const axis = axisOf(classes)
  const least = judged[0]
  const most = judged.at(-1)
  if (!least || !most || least[axis] === most[axis])
    return [classes.length === 1 ? 'All executions were of one class of sizes.' : '', shown].filter(Boolean).join(' ')
  const seen = `From ${plural(least[axis], axis.slice(0, -1))} to ${formatCount(most[axis])}, its p99 goes from ${formatMs(least.p99_ms)} to ${formatMs(most.p99_ms)}`
  const predicted =
    least.predicted && most.predicted
      ? `; predicted is from ${aboutMs(least.predicted.typical_p99_ms)} to ${aboutMs(most.predicted.typical_p99_ms)}`
      : ''
  return [`${seen}${predicted}.`, shown].filter(Boolean).join(' ')
}
