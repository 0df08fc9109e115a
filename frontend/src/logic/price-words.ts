/** How prices are said: what is proven with ≤, what was observed with ≈. */
import { formatDollars } from '../units'

interface PricedQuery {
  most: number | null
  kept: number | null
  month_most: number | null
  why_none: string | null
}

interface ObservedPrice {
  low: number
  high: number
  month_low: number
  month_high: number
}

/** `≤ $0.0253`: of 1,000 executions; a dash for a query without a price, nothing before it is known. */
export function mostText(price: PricedQuery | undefined): string {
  if (price === undefined) return ''
  return price.most === null ? '–' : `≤ ${formatDollars(price.most)}`
}

/** `≈ $0.0021`, or `≈ $0.002 to $0.004` where requests were reported in classes. */
export function onAverageText({ low, high }: ObservedPrice): string {
  return range(low, high)
}

/** What the observed executions cost a month, if they go on as they were. */
export function monthText({ month_low, month_high }: ObservedPrice): string {
  return `${range(month_low, month_high)} a month at this rate`
}

/** Executions a second as they are typed; null for what is no such number. */
export function parseRate(text: string | undefined): number | null {
  const rate = Number(text?.trim() || Number.NaN)
  return rate > 0 && rate <= 1e12 ? rate : null
}

function range(low: number, high: number): string {
  const [least, most] = [formatDollars(low), formatDollars(high)]
  return least === most ? `≈ ${least}` : `≈ ${least} to ${most}`
}
