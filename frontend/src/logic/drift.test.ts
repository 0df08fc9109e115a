import { describe, expect, it } from 'vitest'
import { driftText } from './drift'

const LOOK = {
  looked_at: '2026-06-01T12:00:00Z',
  looks: 3,
  factor: 1.42,
  low: 1.3,
  high: 1.55,
  stale_operators: [] as string[],
}

describe('drift', () => {
  it('says how p99 compares, and that three checks must agree', () => {
    expect(driftText({ ...LOOK, looks: 1 })).toContain(
      'p99 is 1.42 × what was measured (95 %: 1.30 – 1.55). An operator is stale once 3 checks agree.',
    )
    expect(driftText(LOOK)).toContain('Not stale.')
  })

  it('names what is stale', () => {
    expect(driftText({ ...LOOK, stale_operators: ['IndexScan'] })).toContain('IndexScan is stale.')
    expect(driftText({ ...LOOK, factor: 12.3, stale_operators: ['IndexScan', 'IndexFKJoin'] })).toContain(
      'p99 is 12 × what',
    )
    expect(driftText({ ...LOOK, stale_operators: ['IndexScan', 'IndexFKJoin'] })).toContain(
      'IndexScan and IndexFKJoin are stale.',
    )
  })
})
