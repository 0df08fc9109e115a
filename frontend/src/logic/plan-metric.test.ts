import { describe, expect, it } from 'vitest'
import { badgesOf, heaviestNode } from './plan-metric'
import type { PlanNode } from './shapes'

function node(id: string, more: Partial<PlanNode> = {}): PlanNode {
  return { id, operator: 'IndexScan', detail: '', kind: 'remote', is_unbounded: false, children: [], ...more }
}

const scan = node('0', { operations: 1, rows: 100, bytes: 6400 })
const join = node('root', { operations: 100, rows: 50, bytes: 12_000 })
const latencies = new Map([
  ['0', 3.2],
  ['root', 46],
])

describe('the metric of a plan', () => {
  it('comes first among the badges, and alone is in colour', () => {
    expect(badgesOf(join, 'rows', latencies)).toEqual([
      { text: '≤ 50 rows', tone: 'accent' },
      { text: '≤ 100 ops', tone: 'plain' },
      { text: 'p99 ≈ 46.0 ms', tone: 'plain' },
    ])
    expect(badgesOf(join, 'bytes', new Map()).map(({ text }) => text)).toEqual(['≤ 12 kB', '≤ 100 ops', '≤ 50 rows'])
  })

  it('marks the node that has most of it', () => {
    expect(heaviestNode([join, scan], 'operations', latencies)).toBe('root')
    expect(heaviestNode([join, scan], 'rows', latencies)).toBe('0')
    expect(heaviestNode([join, scan], 'p99', latencies)).toBe('root')
  })

  it('marks none where nothing is known, or where every node has one', () => {
    expect(heaviestNode([join, scan], 'p99', new Map())).toBeUndefined()
    expect(heaviestNode([node('a', { operations: 1 }), node('b', { operations: 1 })], 'operations', latencies)).toBe(
      undefined,
    )
  })

  it('leaves out what a node does not have', () => {
    expect(badgesOf(node('0', { operations: 0, rows: 0, kind: 'write' }), 'operations', new Map())).toEqual([])
    expect(badgesOf(node('0', { is_unbounded: true }), 'p99', new Map())).toEqual([
      { text: 'unbounded', tone: 'danger' },
    ])
  })
})
