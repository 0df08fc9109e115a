/** What looks at a profile's canaries say of it, in words. */
import { formatDay } from '../units'

export interface Drift {
  looked_at: string
  looks: number
  factor: number
  low: number
  high: number
  stale_operators: readonly string[]
}

const LOOKS_THAT_AGREE = 3

/** How long the store takes now against its profile, and whether that is enough to call the profile stale. */
export function driftText(drift: Drift): string {
  const range = `${times(drift.low)} – ${times(drift.high)}`
  const seen = `Checked ${formatDay(drift.looked_at)}: p99 is ${times(drift.factor)} × what was measured (95 %: ${range})`
  if (drift.stale_operators.length > 0)
    return `${seen}. ${drift.stale_operators.join(' and ')} ${drift.stale_operators.length === 1 ? 'is' : 'are'} stale.`
  if (drift.looks < LOOKS_THAT_AGREE) return `${seen}. Stale is what ${LOOKS_THAT_AGREE} checks agree on.`
  return `${seen}. Not stale.`
}

function times(factor: number): string {
  return factor >= 10 ? factor.toFixed(0) : factor.toFixed(2)
}
