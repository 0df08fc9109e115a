/** The list of queries in the sidebar: which of them a filter leaves, and in which groups they stand. */
import { formatCount } from '../units'

export type Grouping = 'none' | 'file' | 'class' | 'cost' | 'live'

/** How a query compares with what is live: `changed` in its text or its bound. */
export type LiveState = 'live' | 'changed' | 'new'

export interface ListedQuery {
  name: string
  range: { file: string }
  scaling_class: string | null
  is_bounded: boolean
  bound?: { operations: number } | null
}

export interface QueryGroup<Q> {
  /** Empty if the list has no groups. */
  title: string
  queries: Q[]
}

/** Whether a text contains all words of a filter, in any order and case. */
export function matches(text: string, filter: string): boolean {
  if (filter === '') return true
  const lower = text.toLowerCase()
  return filter
    .toLowerCase()
    .split(/\s+/)
    .every((word) => lower.includes(word))
}

/** What a filter looks for in a query: its name, its file, its class, and whether it is unbounded. */
export function searchedText({ name, range, scaling_class, is_bounded }: ListedQuery): string {
  return `${name} ${range.file} ${is_bounded ? `class ${scaling_class ?? ''}` : 'unbounded'}`
}

/** Queries in groups; those of a group stay in their order. The groups that need attention come first. */
export function queryGroups<Q extends ListedQuery>(
  queries: readonly Q[],
  grouping: Grouping,
  liveState: (query: Q) => LiveState | null,
): QueryGroup<Q>[] {
  const groups = new Map<string, { rank: number; queries: Q[] }>()
  for (const query of queries) {
    const { title, rank } = groupOf(query, grouping, liveState)
    const group = groups.get(title)
    if (group) group.queries.push(query)
    else groups.set(title, { rank, queries: [query] })
  }
  return [...groups]
    .toSorted(([, one], [, another]) => one.rank - another.rank)
    .map(([title, group]) => ({ title, queries: group.queries }))
}

const CLASSES = ['IV', 'III', 'II', 'I']
/** The largest number of operations of each group by cost, from cheap to dear. */
const COSTS = [1, 10, 100, 1000]
const LIVE_TITLES: Readonly<Record<LiveState, { title: string; rank: number }>> = {
  changed: { title: 'Changed since it was deployed', rank: 0 },
  new: { title: 'Not deployed', rank: 1 },
  live: { title: 'As it is live', rank: 2 },
}

function groupOf<Q extends ListedQuery>(
  query: Q,
  grouping: Grouping,
  liveState: (query: Q) => LiveState | null,
): { title: string; rank: number } {
  switch (grouping) {
    case 'none':
      return { title: '', rank: 0 }
    case 'file':
      return { title: query.range.file, rank: 0 }
    case 'class':
      return query.is_bounded
        ? { title: `Class ${query.scaling_class}`, rank: CLASSES.indexOf(query.scaling_class ?? '') }
        : { title: 'Unbounded', rank: -2 }
    case 'cost':
      return costOf(query)
    case 'live':
      return LIVE_TITLES[liveState(query) ?? 'new']
  }
}

function costOf({ is_bounded, bound }: ListedQuery): { title: string; rank: number } {
  if (!is_bounded || !bound) return { title: 'Unbounded', rank: -Infinity }
  const index = COSTS.findIndex((most) => bound.operations <= most)
  const most = COSTS[index]
  if (most === undefined) return { title: `Over ${formatCount(COSTS.at(-1) ?? 0)} operations`, rank: -COSTS.length }
  const title = most === 1 ? 'One operation' : `At most ${formatCount(most)} operations`
  return { title, rank: -index }
}
