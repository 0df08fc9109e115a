import { describe, expect, it } from 'vitest'
import { type FlowFacts, flowOf, type StepId } from './flow'

/** Everything written, predicted, deployed, run and compared. */
const DONE: FlowFacts = {
  compileError: null,
  text: { queries: 12, errors: 0 },
  predictions: { hasRun: true, isMeasuring: false, missing: 0, atRisk: [] },
  live: { version: 3, isChanged: false, isBuilding: false },
  observed: { executions: 1200, verdicts: ['agrees', 'no-data'] },
}

function stepOf(id: StepId, facts: Partial<FlowFacts>) {
  const step = flowOf({ ...DONE, ...facts }).steps.find((candidate) => candidate.id === id)
  return `${step?.state}: ${step?.word}`
}

describe('the flow of the work', () => {
  it('has its steps in the order of the work, each with a state and a word', () => {
    expect(flowOf(DONE).steps.map(({ id, state, word }) => `${id} ${state}: ${word}`)).toEqual([
      'write done: all bounded',
      'predict done: p99 predicted',
      'deploy done: version 3 live',
      'run done: 1,200 this hour',
      'compare done: as predicted',
    ])
  })

  it('says nothing of what it does not know yet', () => {
    const unknown = { compileError: null, text: null, predictions: null, live: null, observed: null }
    const flow = flowOf(unknown)
    expect(flow.steps.map(({ state, word }) => state + word)).toEqual(Array(5).fill('unknown'))
    expect([flow.lead, flow.next]).toEqual(['', null])
  })

  it('tells errors from a text without queries and from a compiler that fails', () => {
    expect(stepOf('write', { text: { queries: 12, errors: 2 } })).toBe('failed: 2 errors')
    expect(stepOf('write', { text: { queries: 0, errors: 0 } })).toBe('todo: no query yet')
    expect(stepOf('write', { compileError: 'away' })).toBe('failed: not compiled')
  })

  it('tells a store that was never measured from an SLO at risk', () => {
    const run = { hasRun: true, isMeasuring: false, missing: 0, atRisk: [] }
    expect(stepOf('predict', { predictions: { ...run, hasRun: false } })).toBe('todo: no profile run')
    expect(stepOf('predict', { predictions: { ...run, hasRun: false, isMeasuring: true } })).toBe('busy: measuring')
    expect(stepOf('predict', { predictions: { ...run, isMeasuring: true } })).toBe('done: p99 predicted')
    expect(stepOf('predict', { predictions: { ...run, missing: 2 } })).toBe('todo: 2 not predicted')
    expect(stepOf('predict', { predictions: { ...run, missing: 2, atRisk: ['a'] } })).toBe('warning: 1 SLO at risk')
    const flow = flowOf({ ...DONE, predictions: { ...run, atRisk: ['a', 'b', 'c', 'd', 'e'] } })
    expect(flow.lead).toBe('Predicted to break their SLOs: a, b, c and 2 more.')
  })

  it('tells a text that differs from what is live from one that is live', () => {
    const live = { version: 3, isChanged: true, isBuilding: false }
    expect(stepOf('deploy', { live })).toBe('todo: differs from version 3')
    expect(stepOf('deploy', { live: { ...live, isChanged: null } })).toBe('unknown: version 3 live')
    expect(stepOf('deploy', { live: { ...live, isBuilding: true } })).toBe('busy: on its way')
    expect(stepOf('deploy', { live: { ...live, version: null } })).toBe('todo: nothing live')
  })

  it('judges what ran by its worst query', () => {
    const observed = (...verdicts: NonNullable<FlowFacts['observed']>['verdicts']) => ({ executions: 9, verdicts })
    expect(stepOf('compare', { observed: observed('agrees', 'slo-broken', 'slo-broken') })).toBe(
      'failed: 2 miss their SLOs',
    )
    expect(stepOf('compare', { observed: observed('over-bound') })).toBe('failed: 1 is over its bound')
    expect(stepOf('compare', { observed: observed('slo-broken', 'over-bound') })).toBe('failed: 2 in danger')
    expect(stepOf('compare', { observed: observed('agrees', 'slower') })).toBe('warning: 1 slower')
    expect(stepOf('compare', { observed: observed('too few', 'undecided') })).toBe('todo: too few executions')
    expect(stepOf('run', { observed: { executions: 0, verdicts: ['no-data'] } })).toBe('todo: not run this hour')
  })

  it('is not done with a query that fails, has incidents or burns its budget', () => {
    const compared = (...verdicts: NonNullable<FlowFacts['observed']>['verdicts']) =>
      flowOf({ ...DONE, observed: { executions: 9, verdicts: ['agrees', ...verdicts] } })
    const words = (['failing', 'limit-passed', 'dangling-entry', 'burning'] as const).map((verdict) => {
      const step = compared(verdict).steps.find(({ id }) => id === 'compare')
      return `${step?.state}: ${step?.word}`
    })
    expect(words).toEqual([
      'failed: 1 is failing',
      'failed: 1 has incidents',
      'failed: 1 has incidents',
      'failed: 1 burns its budget',
    ])
    expect(compared('slo-broken', 'burning', 'burning', 'failing').lead).toBe(
      'In the last hour 1 query is failing, 2 queries burn their budgets, 1 query misses its SLO.',
    )
  })

  it('leads with what failed, then with what is at risk, then with the first step to take', () => {
    const errors = { text: { queries: 1, errors: 1 } }
    const broken = { observed: { executions: 9, verdicts: ['slo-broken' as const] } }
    const differs = { live: { version: 3, isChanged: true, isBuilding: false } }
    expect(flowOf({ ...DONE, ...errors, ...broken, ...differs }).next).toBe('write')
    expect(flowOf({ ...DONE, ...broken, ...differs })).toMatchObject({
      next: 'compare',
      lead: 'In the last hour 1 query misses its SLO.',
    })
    expect(flowOf({ ...DONE, ...differs }).lead).toBe('The text differs from version 3, which is live.')
    expect(flowOf(DONE)).toMatchObject({
      next: null,
      lead: 'Every query has a bound, and what is live runs as predicted.',
    })
  })
})
