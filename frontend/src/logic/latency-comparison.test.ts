import { describe, expect, it } from 'vitest'
import { compare, logAxis, predictedForSeen, type QueryLatency, rank } from './latency-comparison'

const AT_LIMITS = { typical_p99_ms: 48, conservative_p99_ms: 61, requests: 101, rows: 50 }
const SMALL = { requests: 11, rows: 10, executions: 100, predicted: { typical_p99_ms: 6, conservative_p99_ms: 8 } }

function judged(
  outcome: NonNullable<QueryLatency['agreement']>['outcome'],
  needed: number | null = null,
): QueryLatency['agreement'] {
  return { outcome, executions: 100, needed, error: 0.05 }
}

function latency(query: string, more: Partial<QueryLatency> = {}): QueryLatency {
  return {
    query,
    executions: 100,
    failures: 0,
    observed: { p50_ms: 1, p99_ms: 10, p99_low_ms: 9, p99_high_ms: 12 },
    predicted_p99_ms: 48,
    predicted: AT_LIMITS,
    agreement: judged('agrees'),
    sizes: [SMALL],
    compliance: { share: 1 },
    slo: null,
    predicted_compliance: null,
    budget: null,
    plan_since: 1,
    was_executed: true,
    requests_over_bound: 0,
    incidents: [],
    ...more,
  }
}

describe('predicted beside observed', () => {
  it('says the verdict of the test with its error', () => {
    expect(compare(latency('q')).sentence).toBe(
      'The p99 is as predicted for this size, by 100 executions; such a verdict is wrong in at most 5 of 100 cases',
    )
    expect(compare(latency('q', { agreement: judged('slower') }))).toMatchObject({
      verdict: 'slower',
      sentence: expect.stringContaining('higher than predicted'),
    })
  })

  it('says how many executions a verdict takes before it says one', () => {
    const few = compare(latency('q', { executions: 1, agreement: { ...judged('too few', 368)!, executions: 1 } }))
    expect(few).toMatchObject({
      verdict: 'too few',
      sentence: 'Too few executions to judge the prediction: 1 of the 368 that it takes',
    })
    expect(compare(latency('q', { agreement: judged('undecided', 1500) })).sentence).toBe(
      '100 executions do not decide whether the prediction holds; about 1,500 would',
    )
  })

  it('puts what fails before all else, also where nothing gave its rows', () => {
    const ranked = rank([
      latency('broken', { compliance: { share: 0.5 } }),
      latency('passed', { incidents: [{ kind: 'limit-passed', executions: 1 }] }),
      latency('some', { failures: 49 }),
      latency('all', { failures: 100, observed: null }),
    ])
    expect(ranked.map(({ latency: { query }, verdict }) => [query, verdict])).toEqual([
      ['all', 'failing'],
      ['passed', 'limit-passed'],
      ['broken', 'slo-broken'],
      ['some', 'agrees'],
    ])
    expect(ranked[0]).toMatchObject({
      sentence: '100 of 100 executions failed',
      ofPrediction: 'No execution gave its rows, so none is compared with the prediction',
    })
  })

  it('puts what is closest to its SLO first among equal verdicts', () => {
    const ranked = rank([
      latency('without'),
      latency('far', { slo: { threshold_ms: 500 } }),
      latency('close', { slo: { threshold_ms: 11 } }),
    ])
    expect(ranked.map((comparison) => comparison.latency.query)).toEqual(['close', 'far', 'without'])
  })

  it('puts an SLO that is kept less often than predicted first among equal verdicts', () => {
    const outcome = (said: string) => ({ predicted_compliance: { agreement: { outcome: said } } })
    const close = { slo: { threshold_ms: 11 } }
    const ranked = rank([
      latency('close', close),
      latency('more', outcome('better')),
      latency('less', outcome('worse')),
    ])
    expect(ranked.map((comparison) => comparison.latency.query)).toEqual(['less', 'close', 'more'])
  })

  it('puts what is unlike its own past first among equal verdicts, and not before a worse one', () => {
    const ranked = rank(
      [latency('a'), latency('b'), latency('slower', { agreement: judged('slower') })],
      new Set(['b']),
    )
    expect(ranked.map(({ latency: { query } }) => query)).toEqual(['slower', 'b', 'a'])
  })

  it('says that a budget burns before that an SLO is broken, and puts the least of a budget first', () => {
    const burn = { is_burning: true, long_seconds: 3600, long_rate: 20 }
    const ranked = rank([
      latency('half', { budget: { left: 0.5, burns: [{ ...burn, is_burning: false }] } }),
      latency('none', { budget: { left: -3, burns: [] } }),
      latency('broken', { compliance: { share: 0.5 } }),
      latency('burning', { compliance: { share: 0.5 }, budget: { left: 0.9, burns: [burn] } }),
    ])
    expect(ranked.map((comparison) => comparison.latency.query)).toEqual(['burning', 'broken', 'none', 'half'])
    expect(ranked[0]?.sentence).toBe('Over the last 1 h, 20 times as many executions broke the SLO as it allows')
  })

  it('holds no execution of another size against the prediction', () => {
    const comparison = compare(latency('q', { agreement: null, sizes: [{ ...SMALL, rows: 0, predicted: null }] }))
    expect(comparison.verdict).toBe('other-sizes')
    expect(comparison.sentence).toBe(
      'The prediction is for 101 requests, 50 rows; most executions made 11 requests, 0 rows, for which there is none',
    )
  })

  it('shows the prediction for what ran, and the one at the limits before anything did', () => {
    expect(predictedForSeen(latency('q'))).toEqual({
      typical_p99_ms: 6,
      conservative_p99_ms: 8,
      requests: 11,
      rows: 10,
    })
    expect(predictedForSeen(latency('q', { sizes: [], executions: 0, observed: null }))).toEqual(AT_LIMITS)
    expect(predictedForSeen(latency('q', { sizes: [{ ...SMALL, predicted: null }] }))).toBeNull()
  })

  it('calls no SLO broken before an interval has the executions to judge it', () => {
    expect(compare(latency('q', { executions: 1, compliance: { share: null } })).verdict).toBe('agrees')
    expect(compare(latency('q', { compliance: { share: 0.9 } }))).toMatchObject({
      verdict: 'slo-broken',
      ofPrediction: expect.stringContaining('as predicted'),
    })
  })

  it('puts incidents first, then broken SLOs, then wrong predictions, then silence', () => {
    const ranked = rank([
      latency('silent', { executions: 0, observed: null }),
      latency('close'),
      latency('slow', { compliance: { share: 0.8 } }),
      latency('dangling', { incidents: [{ kind: 'dangling-entry', executions: 3 }] }),
      latency('passed', { incidents: [{ kind: 'limit-passed', executions: 3 }] }),
      latency('breach', { requests_over_bound: 2 }),
      latency('wrong', { agreement: judged('slower') }),
    ])
    expect(ranked.map((comparison) => comparison.latency.query)).toEqual([
      'breach',
      'passed',
      'dangling',
      'slow',
      'wrong',
      'close',
      'silent',
    ])
    expect(compare(latency('q', { incidents: [{ kind: 'limit-passed', executions: 3 }] })).sentence).toBe(
      '3 executions found more rows than a CARDINALITY LIMIT allows',
    )
  })

  it('tells silence from a plan that has not run yet', () => {
    expect(compare(latency('q', { executions: 0, observed: null, plan_since: 3 })).sentence).toBe(
      'Not executed since its plan changed in version 3',
    )
    expect(compare(latency('q', { executions: 0, observed: null, was_executed: false })).sentence).toBe(
      'Not executed in this window',
    )
  })

  it('says why nothing is compared', () => {
    expect(compare(latency('q', { predicted_p99_ms: null, predicted: null, agreement: null }))).toMatchObject({
      verdict: 'not-predicted',
      sentence: expect.stringContaining('without a profile'),
    })
    expect(compare(latency('q', { predicted: null, agreement: null })).sentence).toContain('its profile run is gone')
  })
})

describe('a logarithmic axis', () => {
  it('spans whole decades', () => {
    const axis = logAxis([0.3, 45])
    expect(axis.ticks).toEqual([0.1, 1, 10, 100])
    expect(axis.place(0.1)).toBe(0)
    expect(axis.place(100)).toBe(1)
    expect(axis.place(1)).toBeCloseTo(1 / 3)
  })

  it('has a length even without values', () => {
    expect(logAxis([]).ticks.length).toBeGreaterThan(1)
  })
})
