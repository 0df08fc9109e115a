import { describe, expect, it } from 'vitest'
import { dangerSummary, sloSummary } from './slo-summary'

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

  it('give way to what is in danger without one', () => {
    const query = {
      query: 'q',
      executions: 10,
      failures: 10,
      observed: null,
      predicted_p99_ms: null,
      predicted: null,
      agreement: null,
      sizes: [],
      compliance: null,
      slo: null,
      predicted_compliance: null,
      budget: null,
      plan_since: 1,
      was_executed: true,
      requests_over_bound: 0,
      incidents: [],
    }
    expect(dangerSummary([query])).toEqual({ text: '1 in danger', tone: 'danger' })
    expect(dangerSummary([{ ...query, failures: 1 }])).toEqual({ text: 'no SLO', tone: 'plain' })
  })
})
