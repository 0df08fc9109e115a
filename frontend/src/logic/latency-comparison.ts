/**
 * Observed beside predicted p99 of each query: a verdict and a sentence, with the worst query first. The server tests
 * whether executions of a predictable size agree with the prediction for that size; this module puts the result into
 * words.
 */
import { formatCount, formatDuration, plural } from '../units'
import type { Estimate } from './estimate'

/** The size of an execution: its requests and the rows that they returned. */
export interface Sized {
  requests: number
  rows: number
}

export interface QueryLatency {
  query: string
  /** All that ran, also what failed. */
  executions: number
  failures: number
  observed: { p50_ms: number; p99_ms: number; p99_low_ms: number | null; p99_high_ms: number | null } | null
  /** The prediction that was stored when it was deployed. */
  predicted_p99_ms: number | null
  /** The prediction for executions at the query's limits. */
  predicted: (Estimate & Sized) | null
  /** The test of the executions whose size could be predicted; `error` is the probability of a wrong verdict. */
  agreement: {
    outcome: 'too few' | 'slower' | 'faster' | 'agrees' | 'undecided'
    executions: number
    needed: number | null
    error: number
  } | null
  /** The sizes of the observed executions, the most frequent first. */
  sizes: readonly (Sized & { executions: number; predicted: Estimate | null })[]
  compliance: { share: number | null } | null
  slo: { threshold_ms: number } | null
  /** Whether the SLO is kept as often as predicted. */
  predicted_compliance: { agreement: { outcome: string } | null } | null
  /** The error budget of the SLO: the part that is left, and whether it is used too fast. */
  budget: {
    left: number | null
    burns: readonly { is_burning: boolean; long_seconds: number; long_rate: number | null }[]
  } | null
  /** The version that brought its present plan, and whether anything ran in the window, also what ran before it. */
  plan_since: number
  was_executed: boolean
  requests_over_bound: number
  incidents: readonly { kind: 'over-bound' | 'limit-passed' | 'dangling-entry'; executions: number }[]
}

export type Verdict =
  | 'over-bound'
  | 'limit-passed'
  | 'dangling-entry'
  | 'failing'
  | 'burning'
  | 'slo-broken'
  | 'slower'
  | 'faster'
  | 'undecided'
  | 'agrees'
  | 'too few'
  | 'other-sizes'
  | 'not-predicted'
  | 'no-data'

export interface Comparison<Q extends QueryLatency> {
  latency: Q
  verdict: Verdict
  sentence: string
  /** The sentence about the prediction alone, which `sentence` leaves out if the bound or the SLO is broken. */
  ofPrediction: string
}

/** The worst first. */
const SEVERITY: readonly Verdict[] = [
  'failing',
  'over-bound',
  'limit-passed',
  'dangling-entry',
  'burning',
  'slo-broken',
  'slower',
  'faster',
  'undecided',
  'agrees',
  'too few',
  'other-sizes',
  'not-predicted',
  'no-data',
]

/** A query is failing if at least this share of its executions failed. */
const FAILING_SHARE = 0.5

/** The verdict on one query. */
export function compare<Q extends QueryLatency>(latency: Q): Comparison<Q> {
  const verdict = judge(latency)
  return {
    latency,
    verdict,
    sentence: sentenceOf(verdict, latency),
    ofPrediction: sentenceOf(ofPrediction(latency), latency),
  }
}

/**
 * The worst query first: failures, incidents, broken SLOs, wrong predictions, and last those without executions. Of equal ones
 * that whose SLO is kept less often than predicted, then what is unlike its own past, then that which is closest to its
 * SLO.
 */
export function rank<Q extends QueryLatency>(
  latencies: readonly Q[],
  unusual: { has(query: string): boolean } = new Set(),
): Comparison<Q>[] {
  return latencies
    .map(compare)
    .toSorted(
      (a, b) =>
        SEVERITY.indexOf(a.verdict) - SEVERITY.indexOf(b.verdict) ||
        Number(isKeptLess(b.latency)) - Number(isKeptLess(a.latency)) ||
        Number(unusual.has(b.latency.query)) - Number(unusual.has(a.latency.query)) ||
        budgetLeft(a.latency) - budgetLeft(b.latency) ||
        (a.latency.compliance?.share ?? 1) - (b.latency.compliance?.share ?? 1) ||
        usedOfSlo(b.latency) - usedOfSlo(a.latency) ||
        b.latency.executions - a.latency.executions ||
        a.latency.query.localeCompare(b.latency.query),
    )
}

/** Whether its SLO is kept less often than predicted. */
function isKeptLess({ predicted_compliance }: QueryLatency): boolean {
  return predicted_compliance?.agreement?.outcome === 'worse'
}

/** The part of the error budget that is left; without a budget it is whole. */
function budgetLeft({ budget }: QueryLatency): number {
  return budget?.left ?? 1
}

/** The observed p99 by the threshold of the SLO; 0 without either. */
function usedOfSlo({ observed, slo }: QueryLatency): number {
  return observed && slo ? observed.p99_ms / slo.threshold_ms : 0
}

/**
 * The prediction to show beside the observed p99: for the most frequent size, or for the limits if nothing was
 * executed.
 */
export function predictedForSeen(latency: QueryLatency): (Estimate & Sized) | null {
  const [most] = latency.sizes
  if (!most) return latency.executions === 0 ? latency.predicted : null
  return most.predicted && { ...most.predicted, requests: most.requests, rows: most.rows }
}

/** `11 requests, 10 rows` */
export function sizeText({ requests, rows }: Sized): string {
  return `${plural(requests, 'request')}, ${plural(rows, 'row')}`
}

function judge(latency: QueryLatency): Verdict {
  if (latency.executions > 0 && latency.failures >= FAILING_SHARE * latency.executions) return 'failing'
  if (latency.requests_over_bound > 0) return 'over-bound'
  for (const kind of ['limit-passed', 'dangling-entry'] as const) {
    if (latency.incidents.some((incident) => incident.kind === kind)) return kind
  }
  if (latency.executions === 0 || latency.observed === null) return 'no-data'
  if (latency.budget?.burns.some((burn) => burn.is_burning)) return 'burning'
  return (latency.compliance?.share ?? 1) < 1 ? 'slo-broken' : ofPrediction(latency)
}

function ofPrediction(latency: QueryLatency): Verdict {
  if (latency.executions === 0 || latency.observed === null) return 'no-data'
  if (latency.agreement) return latency.agreement.outcome
  return latency.predicted ? 'other-sizes' : 'not-predicted'
}

function executionsWith(kind: Verdict, { incidents }: QueryLatency): number {
  return incidents.reduce((sum, incident) => sum + (incident.kind === kind ? incident.executions : 0), 0)
}

function sentenceOf(verdict: Verdict, latency: QueryLatency): string {
  const { agreement, predicted, sizes } = latency
  const evidence = agreement
    ? `by ${plural(agreement.executions, 'execution')}; such a verdict is wrong in at most ${formatCount(agreement.error * 100)} of 100 cases`
    : ''
  switch (verdict) {
    case 'over-bound':
      return `${plural(latency.requests_over_bound, 'execution')} made more requests than the bound`
    case 'limit-passed':
      return `${plural(executionsWith(verdict, latency), 'execution')} found more rows than a CARDINALITY LIMIT allows`
    case 'dangling-entry':
      return `${plural(executionsWith(verdict, latency), 'execution')} found an index entry without its record`
    case 'failing':
      return `${formatCount(latency.failures)} of ${plural(latency.executions, 'execution')} failed`
    case 'burning':
      return burningSentence(latency)
    case 'slo-broken':
      return 'Some intervals broke the SLO'
    case 'slower':
      return `The p99 is higher than predicted for this size, ${evidence}`
    case 'faster':
      return `The p99 is lower than predicted for this size, ${evidence}`
    case 'agrees':
      return `The p99 is as predicted for this size, ${evidence}`
    case 'undecided':
      return `${plural(agreement?.executions ?? 0, 'execution')} do not decide whether the prediction holds${agreement?.needed ? `; about ${formatCount(agreement.needed)} would` : ''}`
    case 'too few':
      return `Too few executions to judge the prediction: ${formatCount(agreement?.executions ?? 0)} of the ${formatCount(agreement?.needed ?? 0)} that it takes`
    case 'other-sizes':
      return predicted && sizes[0]
        ? `The prediction is for ${sizeText(predicted)}; most executions made ${sizeText(sizes[0])}, for which there is none`
        : 'The size of the executions is not known, so they are not compared with the prediction'
    case 'not-predicted':
      return latency.predicted_p99_ms === null
        ? 'Deployed without a profile, so nothing was predicted'
        : 'Not compared: its profile run is gone, or grouping hides how much an execution read'
    case 'no-data':
      if (latency.executions > 0) return 'No execution gave its rows, so none is compared with the prediction'
      return latency.was_executed
        ? `Not executed since its plan changed in version ${latency.plan_since}`
        : 'Not executed in this window'
  }
}

/** How fast the budget is used, and for how long it would last. */
function burningSentence({ budget }: QueryLatency): string {
  const burn = budget?.burns.find(({ is_burning }) => is_burning)
  return `Over the last ${formatDuration(burn?.long_seconds)}, ${formatCount(Math.round((burn?.long_rate ?? 0) * 10) / 10)} times as many executions broke the SLO as it allows`
}

export interface LogAxis {
  low: number
  high: number
  ticks: number[]
  /** The position of a value on the axis, from 0 to 1. */
  place(value: number): number
}

/**
 * A logarithmic axis from the power of ten below the smallest value (1 at most) to that above the largest (10 at
 * least).
 */
export function logAxis(values: readonly number[]): LogAxis {
  const usable = values.filter((value) => value > 0 && Number.isFinite(value))
  const low = 10 ** Math.floor(Math.log10(Math.min(...usable, 1)) + 1e-9)
  const high = Math.max(10 ** Math.ceil(Math.log10(Math.max(...usable, 10)) - 1e-9), low * 10)
  const ticks: number[] = []
  for (let tick = low; tick <= high * 1.0001; tick *= 10) ticks.push(Number(tick.toPrecision(6)))
  const span = Math.log10(high / low)
  return { low, high, ticks, place: (value) => Math.min(1, Math.max(0, Math.log10(Math.max(value, low) / low) / span)) }
}
