import { describe, expect, it } from 'vitest'
import { compare, logAxis, rank, type QueryLatency, roundTicks } from './latency-comparison'

function latency(query: string, more: Partial<QueryLatency> = {}): QueryLatency {
  return {
    query,
    executions: 100,
    observed: { p50_ms: 1, p99_ms: 10, p99_low_ms: 9, p99_high_ms: 12 },
    predicted_p99_ms: 11,
    slo: { threshold_ms: 500 },
    compliance: { share: 1 },
    requests_over_bound: 0,
    ...more,
  }
}

describe('predicted beside observed', () => {
  it('calls a prediction close within a quarter', () => {
    expect(compare(latency('q'))).toMatchObject({ verdict: 'close', ratio: 1.1 })
  })

  it('says on which side it erred', () => {
    expect(compare(latency('q', { predicted_p99_ms: 30 })).sentence).toBe('predicted 3× too high')
    expect(compare(latency('q', { predicted_p99_ms: 5 })).sentence).toBe('predicted 2× too low')
  })

  it('puts breaches of the bound first, then broken SLOs, then errors, then silence', () => {
    const ranked = rank([
      latency('silent', { executions: 0, observed: null }),
      latency('close'),
      latency('slow', { compliance: { share: 0.8 } }),
      latency('breach', { requests_over_bound: 2 }),
      latency('wrong', { predicted_p99_ms: 40 }),
    ])
    expect(ranked.map((each) => each.latency.query)).toEqual(['breach', 'slow', 'wrong', 'close', 'silent'])
  })

  it('keeps the SLO apart from the prediction when there is none', () => {
    expect(compare(latency('q', { predicted_p99_ms: null })).verdict).toBe('not-predicted')
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

describe('the ticks of latencies over time', () => {
  it('are round numbers', () => {
    expect(roundTicks([0.9, 1, 2, 3, 4, 5, 6, 10, 20])).toEqual([1, 2, 5, 10, 20])
  })

  it('are some of those there are where no two are round', () => {
    expect(roundTicks([40, 45, 50, 55, 60])).toEqual([40, 50, 60])
  })

  it('are powers of ten where more would stand too close', () => {
    expect(roundTicks([0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000])).toEqual([1, 10, 100, 1000])
  })
})
