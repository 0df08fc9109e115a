/**
 * The metric by which a reader compares the nodes of a plan. It comes first among a node's badges, and the node with
 * the largest value is marked. Operations, rows and bytes are bounds; a p99 is a prediction, and the caller has it.
 */
import { formatBytes, formatCount, plural } from '../units'
import { aboutMs } from './estimate'
import type { PlanNode } from './shapes'

export const PLAN_METRICS = ['operations', 'rows', 'bytes', 'p99'] as const
export type PlanMetric = (typeof PLAN_METRICS)[number]

/** The predicted p99 in milliseconds by the id of a node. */
export type Latencies = ReadonlyMap<string, number>

export interface PlanBadge {
  text: string
  tone: 'danger' | 'accent' | 'plain'
}

/** How much of a metric a node has; null if it is not known. */
function amountOf(node: PlanNode, metric: PlanMetric, latencies: Latencies): number | null {
  return (metric === 'p99' ? latencies.get(node.id) : node[metric]) ?? null
}

/** The id of the node with most of a metric, if any has more than one operation or row, or any of another metric. */
export function heaviestNode(nodes: readonly PlanNode[], metric: PlanMetric, latencies: Latencies): string | undefined {
  const least = metric === 'operations' || metric === 'rows' ? 1 : 0
  let heaviest: { id: string; amount: number } | undefined
  for (const node of nodes) {
    const amount = amountOf(node, metric, latencies) ?? 0
    if (amount > (heaviest?.amount ?? least)) heaviest = { id: node.id, amount }
  }
  return heaviest?.id
}

/** In this order; the edges say the rows, too. */
const ALWAYS_SHOWN = ['operations', 'p99', 'rows'] as const

/** The badges of a node, the chosen metric's first. Bytes are shown only where they are the metric. */
export function badgesOf(node: PlanNode, metric: PlanMetric, latencies: Latencies): PlanBadge[] {
  const shown = [metric, ...ALWAYS_SHOWN.filter((name) => name !== metric)]
  const badges = shown.flatMap((name): PlanBadge[] => {
    const text = amountText(node, name, latencies)
    return text === null ? [] : [{ text, tone: name === metric ? 'accent' : 'plain' }]
  })
  return node.is_unbounded ? [{ text: 'unbounded', tone: 'danger' }, ...badges] : badges
}

/** `≤ 101 ops`; null for what a node does not have, such as the operations of a local one. */
function amountText(node: PlanNode, metric: PlanMetric, latencies: Latencies): string | null {
  const amount = amountOf(node, metric, latencies)
  if (amount === null) return null
  switch (metric) {
    case 'operations':
      return amount > 0 ? `≤ ${formatCount(amount)} ${amount === 1 ? 'op' : 'ops'}` : null
    case 'rows':
      return amount > 0 || node.kind !== 'write' ? `≤ ${plural(amount, 'row')}` : null
    case 'bytes':
      return amount > 0 ? `≤ ${formatBytes(amount)}` : null
    case 'p99':
      return `p99 ${aboutMs(amount)}`
  }
}
