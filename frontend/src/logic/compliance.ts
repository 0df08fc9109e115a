/**
 * How often an SLO's threshold was kept, beside how often it was predicted to be: of the same executions. The server
 * tests whether they agree; this module puts the result into words.
 */
import { formatCount, formatMs, formatPercent, plural } from '../units'

export interface ComplianceAgreement {
  outcome: 'too few' | 'worse' | 'better' | 'agrees' | 'undecided'
  executions: number
  within: number
  within_low: number
  within_high: number
  /** The predicted share if all executions had the largest size of their class, and if all had the smallest. */
  predicted: number
  predicted_most: number
  /** The ends of what counts as predicted. */
  least: number
  most: number
  needed: number | null
  error: number
}

export interface WithCompliance {
  slo: { threshold_ms: number } | null
  predicted_compliance: { at_limits: number | null; agreement: ComplianceAgreement | null } | null
}

/** A share that was counted, rounded down: only all are 100 %. */
export function countedShare(share: number): string {
  return formatPercent(Math.floor(share * 10_000) / 10_000, 2)
}

/** `≈ 99.2 %`, or `≈ 98.1 to 99.2 %` where only the ends of the sizes are known; a dash without a prediction. */
export function aboutShare(low: number | null | undefined, high = low): string {
  if (low === null || low === undefined || high === null || high === undefined) return '–'
  const [least, most] = [formatPercent(low, 2), formatPercent(high, 2)]
  return least === most ? `≈ ${least}` : `≈ ${least.replace(' %', '')} to ${most}`
}

/** The share predicted for what ran; for the limits if nothing ran that could be predicted. */
export function predictedCompliance({ predicted_compliance }: WithCompliance): string {
  const agreement = predicted_compliance?.agreement
  return agreement
    ? aboutShare(agreement.predicted, agreement.predicted_most)
    : aboutShare(predicted_compliance?.at_limits)
}

/** The share that was observed of the executions that are compared. */
export function observedCompliance({ predicted_compliance }: WithCompliance): string {
  const agreement = predicted_compliance?.agreement
  return agreement ? countedShare(agreement.within / agreement.executions) : '–'
}

export const COMPLIANCE_WORDS: Readonly<Record<ComplianceAgreement['outcome'], string>> = {
  worse: 'kept less than predicted',
  better: 'kept more than predicted',
  agrees: 'kept as predicted',
  undecided: 'undecided',
  'too few': 'too few executions',
}

/** The result of the test, with what it goes by; null where nothing is compared. */
export function complianceSentence({ predicted_compliance, slo }: WithCompliance): string | null {
  const agreement = predicted_compliance?.agreement
  if (!agreement || !slo) return null
  const { outcome, executions, needed, error } = agreement
  const kept = `${formatMs(slo.threshold_ms)} or less`
  const evidence = `by ${plural(executions, 'execution')}; such a verdict is wrong in at most ${formatCount(error * 100)} of 100 cases`
  switch (outcome) {
    case 'worse':
      return `Fewer executions than predicted took ${kept}, ${evidence}`
    case 'better':
      return `More executions than predicted took ${kept}, ${evidence}`
    case 'agrees':
      return `As many executions as predicted took ${kept}, ${evidence}`
    case 'undecided':
      return `${plural(executions, 'execution')} do not decide whether as many as predicted took ${kept}`
    case 'too few':
      return `Too few executions to judge how many took ${kept}: ${formatCount(executions)} of at least ${formatCount(needed ?? 0)}`
  }
}

export interface ShareAxis {
  low: number
  ticks: number[]
  /** The position of a share on the axis, from 0 to 1. */
  place(share: number): number
}

const STEPS = [0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.25]

/** An axis of shares up to 1, with at most six ticks; it begins with a tick at or below the smallest. */
export function shareAxis(shares: readonly number[]): ShareAxis {
  const least = Math.max(0, Math.min(...shares, 0.999))
  const step = STEPS.find((width) => (1 - least) / width <= 5) ?? 0.25
  const count = Math.min(Math.ceil((1 - least) / step - 1e-9), Math.round(1 / step))
  const ticks = Array.from({ length: count + 1 }, (_, index) => Number((1 - (count - index) * step).toFixed(6)))
  const low = ticks[0] ?? 0
  return { low, ticks, place: (share) => Math.min(1, Math.max(0, (share - low) / (1 - low))) }
}
