/** The drift of a store in words: how much slower or faster it is now than when it was profiled. */
import { formatDay } from '../units'

/** A few points of a profile run, measured again later. The field names are those of the API. */
export interface Drift {
  looked_at: string
  /** How many checks have been made since the profile run. */
  looks: number
  /** The p99 now divided by the measured one, with its 95 % interval. */
  factor: number
  low: number
  high: number
  /** Operators that are no longer as fast as the profile says. */
  stale_operators: readonly string[]
}

/** The server calls an operator stale only after this number of checks that agree. */
const CHECKS_NEEDED = 3

/** A sentence about the last check, and one that says whether the profile is stale. */
export function driftText(drift: Drift): string {
  const range = `${times(drift.low)} – ${times(drift.high)}`
  const measured = `Checked ${formatDay(drift.looked_at)}: p99 is ${times(drift.factor)} × what was measured (95 %: ${range})`
  if (drift.stale_operators.length > 0)
    return `${measured}. ${drift.stale_operators.join(' and ')} ${drift.stale_operators.length === 1 ? 'is' : 'are'} stale.`
  if (drift.looks < CHECKS_NEEDED) return `${measured}. An operator is stale once ${CHECKS_NEEDED} checks agree.`
  return `${measured}. Not stale.`
}

function times(factor: number): string {
  return factor >= 10 ? factor.toFixed(0) : factor.toFixed(2)
}
