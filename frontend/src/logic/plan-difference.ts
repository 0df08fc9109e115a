/** How one plan of a query differs from another, in a sentence. */
import { formatBytes, formatCount, plural } from '../units'
import { changedNodes } from './plan-tree'
import type { PlanNode } from './shapes'

interface Planned {
  plan: PlanNode
  bound?: { operations: number; rows: number; bytes: number } | null
}

/** `2 operators differ, ≤ 101 → 51 operations, ≤ 100 → 50 rows`; `nameOfAfter` is whose plan the second one is. */
export function planDifference(before: Planned, after: Planned, nameOfAfter = 'the text'): string {
  const count = Math.max(changedNodes(before.plan, after.plan).size, changedNodes(after.plan, before.plan).size)
  const parts = [count === 0 ? 'The same plan' : `${plural(count, 'operator differs', 'operators differ')}`]
  if (before.bound && after.bound) {
    const change = (from: number, to: number, format: (value: number) => string, unit: string) =>
      from === to ? [] : [`≤ ${format(from)} → ${format(to)}${unit}`]
    parts.push(
      ...change(before.bound.operations, after.bound.operations, formatCount, ' operations'),
      ...change(before.bound.rows, after.bound.rows, formatCount, ' rows'),
      ...change(before.bound.bytes, after.bound.bytes, formatBytes, ''),
    )
  } else if (before.bound) parts.push(`${nameOfAfter} has no bound`)
  else if (after.bound) parts.push(`${nameOfAfter} has a bound`)
  return `${parts.join(', ')}.`
}
