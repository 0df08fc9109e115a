import { describe, expect, it } from 'vitest'
import { edgeWidth, layoutPlan, wrap } from './plan-layout'
import { changedNodes, findNode, flattenPlan, levels, neighbour, nodeAtCaret } from './plan-tree'
import type { PlanNode, TextRange } from './shapes'

const lines = (start_line: number, end_line: number): TextRange => ({
  file: 'q.piql',
  start_line,
  start_column: 1,
  end_line,
  end_column: 1,
})

function node(id: string, operator: string, children: PlanNode[] = [], more: Partial<PlanNode> = {}): PlanNode {
  return { id, operator, detail: '', kind: 'logical', is_unbounded: false, children, ...more }
}

const plan = node('0', 'Stop', [
  node('0.0', 'Join', [
    node('0.0.0', 'Selection', [node('0.0.0.0', 'Relation', [], { range: lines(3, 4), is_unbounded: true })], {
      range: lines(2, 5),
      is_unbounded: true,
    }),
    node('0.0.1', 'Relation'),
  ]),
])

/** The layout as text: one line a level, operators from left to right. */
function drawn(root: PlanNode): string[] {
  const rows = new Map<number, { x: number; operator: string }[]>()
  for (const placed of layoutPlan(root).nodes) {
    rows.set(placed.level, [...(rows.get(placed.level) ?? []), { x: placed.x, operator: placed.node.operator }])
  }
  return [...rows.values()].map((row) =>
    row
      .toSorted((a, b) => a.x - b.x)
      .map((cell) => cell.operator)
      .join(' | '),
  )
}

describe('plan layout', () => {
  it('puts the root on top and siblings side by side', () => {
    expect(drawn(plan)).toEqual(['Stop', 'Join', 'Selection | Relation', 'Relation'])
  })

  it('lets no two nodes overlap and keeps all inside the plane', () => {
    const { nodes, width, height } = layoutPlan(plan)
    for (const a of nodes) {
      expect(a.x).toBeGreaterThanOrEqual(0)
      expect(a.x + a.width).toBeLessThanOrEqual(width)
      expect(a.y + a.height).toBeLessThanOrEqual(height)
      for (const b of nodes) {
        if (a === b) continue
        const apart = a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + a.height <= b.y || b.y + b.height <= a.y
        expect(apart).toBe(true)
      }
    }
  })

  it('boxes a connected unbounded segment once', () => {
    const { segments } = layoutPlan(plan)
    expect(segments.map((segment) => segment.ids)).toEqual([['0.0.0', '0.0.0.0']])
  })

  it('draws more rows as a wider edge', () => {
    expect(edgeWidth(1)).toBeLessThan(edgeWidth(100))
    expect(edgeWidth(100)).toBeLessThan(edgeWidth(5000))
    expect(edgeWidth(null)).toBe(1.5)
  })

  it('wraps a long detail and ends it in an ellipsis', () => {
    expect(wrap('a = b AND c = d', 7, 2)).toEqual(['a = b', 'AND c …'])
    expect(wrap('', 10, 2)).toEqual([])
    expect(wrap('short', 10, 2)).toEqual(['short'])
  })
})

describe('plan tree', () => {
  it('finds the innermost node around the caret', () => {
    expect(nodeAtCaret(plan, { file: 'q.piql', line: 3, column: 5 })?.id).toBe('0.0.0.0')
    expect(nodeAtCaret(plan, { file: 'q.piql', line: 2, column: 5 })?.id).toBe('0.0.0')
    expect(nodeAtCaret(plan, { file: 'q.piql', line: 9, column: 1 })).toBeUndefined()
  })

  it('tells which nodes a stage added or changed', () => {
    const next = node('0', 'Stop', [node('0.0', 'DataStop', [node('0.0.0', 'Join')])])
    expect([...changedNodes(plan, next)]).toEqual(['0.0'])
    expect([...changedNodes(undefined, next)]).toEqual([])
  })

  it('walks by the arrow keys', () => {
    expect(neighbour(plan, '0.0', 'ArrowDown')).toBe('0.0.0')
    expect(neighbour(plan, '0.0.0', 'ArrowRight')).toBe('0.0.1')
    expect(neighbour(plan, '0.0.1', 'ArrowLeft')).toBe('0.0.0')
    expect(neighbour(plan, '0.0.1', 'ArrowUp')).toBe('0.0')
    expect(neighbour(plan, '0', 'ArrowUp')).toBeUndefined()
    expect(neighbour(plan, '0', 'End')).toBe('0.0.1')
  })

  it('lists each node before its children', () => {
    expect(flattenPlan(plan).map((planNode) => planNode.id)).toEqual(['0', '0.0', '0.0.0', '0.0.0.0', '0.0.1'])
    expect(levels(plan).map((planNode) => planNode.level)).toEqual([0, 1, 2, 3, 2])
    expect(findNode(plan, '0.0.1')?.operator).toBe('Relation')
  })
})
