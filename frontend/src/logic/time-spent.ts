/** Where the time of the slowest executions of a query goes, in sentences and shares. */
import { formatCount, formatMs, formatPercent } from '../units'

interface Spent {
  path: string
  /** Empty for the time outside of all operators. */
  operator: string
  slow_ms: number
  typical_ms: number
  slow_requests: number
  typical_requests: number
}

interface Blame {
  samples: number
  slowest: number
  slow_from_ms: number
  spent: readonly Spent[]
}

/** What the time outside of all operators is called. */
const OUTSIDE = 'outside of requests'

export function nameOf({ operator }: Pick<Spent, 'operator'>): string {
  return operator === '' ? OUTSIDE : operator
}

/** The operator with the most time in the slowest executions, and whether it made more requests than usual there. */
export function blameText({ samples, slowest, slow_from_ms, spent }: Blame): string {
  const first = spent[0]
  const whole = spent.reduce((sum, part) => sum + part.slow_ms, 0)
  if (!first || whole === 0) return 'No time was spent.'
  const where = first.operator === '' ? OUTSIDE : `in ${first.operator}`
  const share = `The slowest ${formatCount(slowest)} of ${formatCount(samples)} sampled executions took ${formatMs(slow_from_ms)} or longer, and spent ${formatPercent(first.slow_ms / whole, 0)} of their time ${where}.`
  if (first.operator === '') return `${share} The engine computed then, or waited for a processor.`
  return `${share} ${becauseOf(first)}`
}

/** How much an operator took of the slowest executions: between 0 and 1. */
export function shareOf(part: Spent, spent: readonly Spent[]): number {
  const whole = spent.reduce((sum, { slow_ms }) => sum + slow_ms, 0)
  return whole === 0 ? 0 : part.slow_ms / whole
}

function becauseOf({ slow_requests, typical_requests, slow_ms, typical_ms }: Spent): string {
  if (slow_requests >= 1.5 * typical_requests)
    return `They are larger: ${formatCount(Math.round(slow_requests))} requests there, where ${formatCount(Math.round(typical_requests))} are typical.`
  return slow_ms >= 1.5 * typical_ms
    ? `It makes as many requests there as in typical executions, which spend ${formatMs(typical_ms)} in it: the store answers slowly.`
    : `Typical executions spend ${formatMs(typical_ms)} in it.`
}
