/** Predicted beside observed p99: how far apart, on which side, and which query is worst. */

export interface QueryLatency {
  query: string
  executions: number
  observed: { p50_ms: number; p99_ms: number; p99_low_ms: number | null; p99_high_ms: number | null } | null
  predicted_p99_ms?: number | null
  slo?: { threshold_ms: number } | null
  compliance?: { share: number | null } | null
  requests_over_bound: number
}

export type Verdict = 'over-bound' | 'slo-broken' | 'under-predicted' | 'over-predicted' | 'close' | 'not-predicted' | 'no-data'

export interface Comparison<Q extends QueryLatency> {
  latency: Q
  /** Predicted over observed: 1.2 means 20 % too high. */
  ratio: number | null
  verdict: Verdict
  sentence: string
}

/** Within this factor a prediction is called close; the papers' mean error is 11 %. */
const CLOSE = 1.25

const SEVERITY: readonly Verdict[] = [
  'over-bound',
  'slo-broken',
  'under-predicted',
  'over-predicted',
  'close',
  'not-predicted',
  'no-data',
]

export function compare<Q extends QueryLatency>(latency: Q): Comparison<Q> {
  const observed = latency.observed?.p99_ms ?? null
  const predicted = latency.predicted_p99_ms ?? null
  const ratio = observed !== null && observed > 0 && predicted !== null ? predicted / observed : null
  const verdict = judge(latency, observed, ratio)
  return { latency, ratio, verdict, sentence: sentences(latency, ratio)[verdict] }
}

/** Worst first: breaches, broken SLOs, then the largest error. */
export function rank<Q extends QueryLatency>(latencies: readonly Q[]): Comparison<Q>[] {
  return latencies.map(compare).toSorted(
    (a, b) =>
      SEVERITY.indexOf(a.verdict) - SEVERITY.indexOf(b.verdict) ||
      (a.latency.compliance?.share ?? 1) - (b.latency.compliance?.share ?? 1) ||
      error(b.ratio) - error(a.ratio) ||
      a.latency.query.localeCompare(b.latency.query),
  )
}

function judge(latency: QueryLatency, observed: number | null, ratio: number | null): Verdict {
  if (latency.requests_over_bound > 0) return 'over-bound'
  if (latency.executions === 0 || observed === null) return 'no-data'
  const share = latency.compliance?.share ?? null
  if (share === null ? latency.slo && observed > latency.slo.threshold_ms : share < 1) return 'slo-broken'
  if (ratio === null) return 'not-predicted'
  if (ratio < 1 / CLOSE) return 'under-predicted'
  return ratio > CLOSE ? 'over-predicted' : 'close'
}

function sentences(latency: QueryLatency, ratio: number | null): Record<Verdict, string> {
  const factor = ratio === null ? '' : `${Number((ratio >= 1 ? ratio : 1 / ratio).toPrecision(2))}×`
  return {
    'over-bound': `${latency.requests_over_bound} executions made more requests than their bound`,
    'slo-broken': 'some intervals broke the SLO',
    'under-predicted': `predicted ${factor} too low`,
    'over-predicted': `predicted ${factor} too high`,
    close: 'prediction and observation agree',
    'not-predicted': 'deployed without a profile, so nothing was predicted',
    'no-data': 'not executed in this window',
  }
}

function error(ratio: number | null): number {
  return ratio === null ? 0 : Math.abs(Math.log(ratio))
}

export interface LogAxis {
  low: number
  high: number
  ticks: number[]
  /** 0 … 1 along the axis. */
  place(value: number): number
}

/** A logarithmic axis from the decade below the smallest value to the one above the largest. */
export function logAxis(values: readonly number[]): LogAxis {
  const usable = values.filter((value) => value > 0 && Number.isFinite(value))
  const low = 10 ** Math.floor(Math.log10(Math.min(...usable, 1)) + 1e-9)
  const high = Math.max(10 ** Math.ceil(Math.log10(Math.max(...usable, 10)) - 1e-9), low * 10)
  const ticks: number[] = []
  for (let tick = low; tick <= high * 1.0001; tick *= 10) ticks.push(Number(tick.toPrecision(6)))
  const span = Math.log10(high / low)
  return { low, high, ticks, place: (value) => Math.min(1, Math.max(0, Math.log10(Math.max(value, low) / low) / span)) }
}

/**
 * Of a logarithmic axis' ticks those at 1, 2 and 5 of each power of ten, or at 1 alone where that would be a crowd. Where
 * all values lie between two of these, some of the ticks as they come.
 */
export function roundTicks(ticks: readonly number[]): number[] {
  const at = (steps: readonly number[]) => ticks.filter((tick) => steps.some((step) => Number.isInteger(Number(Math.log10(tick / step).toFixed(6)))))
  const all = at([1, 2, 5])
  if (all.length < 2) return ticks.filter((_, index) => index % Math.ceil(ticks.length / 4) === 0)
  return all.length > 8 ? at([1]) : all
}
