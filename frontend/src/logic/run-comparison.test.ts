import { describe, expect, it } from 'vitest'
import { timesAsLong } from './run-comparison'

const run = (grid: string, ...operators_summary: { operator: string; points: number; p99_ms: number }[]) => ({ settings: { grid }, operators_summary })

describe('two profile runs', () => {
  const before = run('small', { operator: 'IndexScan', points: 4, p99_ms: 2 }, { operator: 'Write', points: 2, p99_ms: 8 })

  it('are compared operator by operator', () => {
    const after = run('small', { operator: 'IndexScan', points: 4, p99_ms: 3 }, { operator: 'LimitCheck', points: 2, p99_ms: 1 })
    expect([...timesAsLong(after, before)]).toEqual([['IndexScan', 1.5]])
  })

  it('are not compared where they measured other points', () => {
    expect(timesAsLong(run('default', { operator: 'IndexScan', points: 4, p99_ms: 3 }), before).size).toBe(0)
    expect(timesAsLong(run('small', { operator: 'IndexScan', points: 9, p99_ms: 3 }), before).size).toBe(0)
  })
})
