import { describe, expect, it } from 'vitest'
import { sloSummary } from './slo-summary'

describe('the SLOs of an application', () => {
  it('are kept, broken, or not to be told', () => {
    expect(sloSummary([])).toBeNull()
    expect(sloSummary([{ kept: 0, judged: 0 }])?.text).toBe('too few executions to tell')
    expect(
      sloSummary([
        { kept: 3, judged: 3 },
        { kept: 0, judged: 0 },
      ])?.text,
    ).toBe('1 kept')
    expect(
      sloSummary([
        { kept: 3, judged: 3 },
        { kept: 1, judged: 2 },
      ]),
    ).toEqual({ text: '1 of 2 broken', tone: 'danger' })
  })
})
