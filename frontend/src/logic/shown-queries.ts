/** Which queries the dashboard lists: those of one state, and of names that contain what is searched for. Pure. */
import type { Comparison, QueryLatency, Verdict } from './latency-comparison'
import { matches } from './query-list'

/** Each query is in exactly one state, so the counts of all states add up to all queries. The worst comes first. */
export const STATES = ['danger', 'apart', 'agrees', 'unjudged', 'idle'] as const
export type State = (typeof STATES)[number]

const STATE_OF: Readonly<Record<Verdict, State>> = {
  'over-bound': 'danger',
  'limit-passed': 'danger',
  'dangling-entry': 'danger',
  failing: 'danger',
  burning: 'danger',
  'slo-broken': 'danger',
  slower: 'apart',
  faster: 'apart',
  agrees: 'agrees',
  undecided: 'unjudged',
  'too few': 'unjudged',
  'other-sizes': 'unjudged',
  'not-predicted': 'unjudged',
  'no-data': 'idle',
}

/** The state that a word of the address names; undefined for all of them. */
export function stateOf(text: string | undefined): State | undefined {
  return STATES.find((state) => state === text)
}

/** How many queries are in each state. */
export function countsOf(comparisons: readonly { verdict: Verdict }[]): Record<State, number> {
  const counts: Record<State, number> = { danger: 0, apart: 0, agrees: 0, unjudged: 0, idle: 0 }
  for (const { verdict } of comparisons) counts[STATE_OF[verdict]] += 1
  return counts
}

/** The queries whose names match, and of these those of a state, in their order. */
export function shownQueries<Q extends QueryLatency>(
  comparisons: readonly Comparison<Q>[],
  named: string,
  state: State | undefined,
): { named: readonly Comparison<Q>[]; shown: readonly Comparison<Q>[] } {
  const words = named.trim()
  const matching = words === '' ? comparisons : comparisons.filter(({ latency }) => matches(latency.query, words))
  return { named: matching, shown: state ? matching.filter(({ verdict }) => STATE_OF[verdict] === state) : matching }
}
