/** Reads a plan: its nodes, the node whose source a caret is in, what one stage changed, where an arrow key leads. */
import type { Caret, PlanNode } from './shapes'
import { contains, extent } from './text-edits'

/** Every node, each before its children. */
export function flattenPlan(root: PlanNode): PlanNode[] {
  return [root, ...root.children.flatMap(flattenPlan)]
}

/** Every node with its level, the root's being 0. */
export function levels(root: PlanNode, level = 0): { node: PlanNode; level: number }[] {
  return [{ node: root, level }, ...root.children.flatMap((child) => levels(child, level + 1))]
}

export function findNode(root: PlanNode, id: string): PlanNode | undefined {
  return flattenPlan(root).find((node) => node.id === id)
}

/** The node with the smallest source range around the caret; of equal ranges the deepest. */
export function nodeAtCaret(root: PlanNode, caret: Caret): PlanNode | undefined {
  let best: PlanNode | undefined
  for (const node of flattenPlan(root)) {
    if (!node.range || !contains(node.range, caret)) continue
    if (!best?.range || extent(node.range) <= extent(best.range)) best = node
  }
  return best
}

/** The ids of nodes of `current` without a node of the same operator and detail in `previous`. */
export function changedNodes(previous: PlanNode | undefined, current: PlanNode): Set<string> {
  if (!previous) return new Set()
  const unmatched = new Map<string, number>()
  for (const node of flattenPlan(previous)) {
    const key = form(node)
    unmatched.set(key, (unmatched.get(key) ?? 0) + 1)
  }
  const changed = new Set<string>()
  for (const node of flattenPlan(current)) {
    const count = unmatched.get(form(node)) ?? 0
    if (count > 0) unmatched.set(form(node), count - 1)
    else changed.add(node.id)
  }
  return changed
}

function form(node: PlanNode): string {
  return `${node.operator}\u0000${node.detail}`
}

/** The id of the node that a key leads to: up to the parent, down to the first child, sideways among siblings. */
export function neighbour(root: PlanNode, id: string, key: string): string | undefined {
  const all = flattenPlan(root)
  const parent = all.find((node) => node.children.some((child) => child.id === id))
  const node = all.find((candidate) => candidate.id === id)
  const siblings = parent?.children ?? []
  const index = siblings.findIndex((sibling) => sibling.id === id)
  switch (key) {
    case 'ArrowUp':
      return parent?.id
    case 'ArrowDown':
      return node?.children[0]?.id
    case 'ArrowLeft':
      return siblings[index - 1]?.id
    case 'ArrowRight':
      return siblings[index + 1]?.id
    case 'Home':
      return root.id
    case 'End':
      return all.at(-1)?.id
    default:
      return undefined
  }
}
