import { describe, expect, it } from 'vitest'
import { sloSummary } from './slo-summary'

/** A query that was executed, with the intervals that kept its SLO of those that could be judged. */
function executed(kept: number, judged: number) {
  return { executions: 50, compliance: { kept, judged } }
}

describe('the SLOs of an application', () => {
  it('are kept, or broken', () => {
    expect(sloSummary([executed(3, 3), executed(0, 0)]).text).toBe('1 kept')
    expect(sloSummary([executed(3, 3), executed(1, 2)])).toEqual({ text: '1 of 2 broken', tone: 'danger' })
  })

  it('are not to be told without enough executions, and it is said why', () => {
    expect(sloSummary([executed(0, 0)]).text).toBe('too few executions to tell')
    expect(sloSummary([{ executions: 9, compliance: null }]).text).toBe('no SLO')
    expect(sloSummary([{ executions: 0, compliance: { kept: 0, judged: 0 } }]).text).toBe('no executions yet')
  })
})
