import { describe, expect, it } from 'vitest'
import { direction, timesAsLong } from './run-comparison'

const run = (grid: string, ...operators_summary: { operator: string; points: number; p99_ms: number }[]) => ({
  settings: { grid, levels: null as unknown },
  operators_summary,
})

describe('two profile runs', () => {
  const before = run(
    'small',
    { operator: 'IndexScan', points: 4, p99_ms: 2 },
    { operator: 'Write', points: 2, p99_ms: 8 },
  )

  it('are compared operator by operator', () => {
    const after = run(
      'small',
      { operator: 'IndexScan', points: 4, p99_ms: 3 },
      { operator: 'LimitCheck', points: 2, p99_ms: 1 },
    )
    expect([...timesAsLong(after, before)]).toEqual([['IndexScan', 1.5]])
  })

  it('are not compared where they measured other points', () => {
    expect(timesAsLong(run('default', { operator: 'IndexScan', points: 4, p99_ms: 3 }), before).size).toBe(0)
    expect(timesAsLong(run('small', { operator: 'IndexScan', points: 9, p99_ms: 3 }), before).size).toBe(0)
    const custom = { ...before, settings: { grid: 'custom', levels: { scan_rows: [1, 10] } } }
    expect(timesAsLong(custom, { ...before, settings: { grid: 'custom', levels: { scan_rows: [1, 20] } } }).size).toBe(
      0,
    )
    expect(timesAsLong(custom, { ...custom, operators_summary: before.operators_summary }).size).toBe(2)
  })

  it('differ where one takes a quarter longer than the other', () => {
    expect([1.25, 1.24, 0.81, 0.8].map(direction)).toEqual(['slower', 'alike', 'alike', 'faster'])
  })
})
