import { describe, expect, it } from 'vitest'
import { planDifference } from './plan-difference'
import type { PlanNode } from './shapes'

const plan = (detail: string): PlanNode => ({
  id: 'root',
  operator: 'IndexScan',
  detail,
  kind: 'remote',
  is_unbounded: false,
  children: [],
})

describe('the difference of two plans', () => {
  it('counts operators and says what of the bound changes', () => {
    expect(
      planDifference(
        { plan: plan('limit 50'), bound: { operations: 101, rows: 50, bytes: 1200 } },
        { plan: plan('limit 40'), bound: { operations: 101, rows: 40, bytes: 900 } },
      ),
    ).toBe('1 operator differs, ≤ 50 → 40 rows, ≤ 1.2 kB → 900 B.')
  })

  it('says so if there is none, or if the bound is gone', () => {
    const bound = { operations: 1, rows: 1, bytes: 1 }
    expect(planDifference({ plan: plan('a'), bound }, { plan: plan('a'), bound })).toBe('The same plan.')
    expect(planDifference({ plan: plan('a'), bound }, { plan: plan('a'), bound: null })).toBe(
      'The same plan, the text has no bound.',
    )
  })
})
