import { describe, expect, it } from 'vitest'
import { axisOf, overSizeText, p99IntervalText, predictedText, rangeText, type SizeClass } from './over-size-words'

const estimate = (typical_p99_ms: number) => ({ typical_p99_ms, conservative_p99_ms: null })

const SMALL: SizeClass = {
  least_requests: 2,
  requests: 3,
  least_rows: 2,
  rows: 3,
  executions: 2000,
  p99_ms: 1,
  p99_low_ms: 0.9,
  p99_high_ms: 1.2,
  predicted_least: estimate(0.8),
  predicted: estimate(1.1),
}
const LARGE: SizeClass = { ...SMALL, least_requests: 8, requests: 11, rows: 10, p99_ms: 10, predicted: estimate(9) }
const FEW: SizeClass = { ...SMALL, requests: 101, executions: 9, p99_ms: null, p99_low_ms: null, p99_high_ms: null }

describe('the p99 over the size of what was read', () => {
  it('goes from the smallest class to the largest one that shows a p99, beside the prediction', () => {
    expect(overSizeText([SMALL, LARGE], 100)).toBe(
      'From 3 requests to 11, its p99 goes from 1.0 ms to 10.0 ms; predicted is from ≈ 1.1 ms to ≈ 9.0 ms.',
    )
    expect(overSizeText([SMALL, { ...LARGE, predicted: null }, FEW], 100)).toBe(
      'From 3 requests to 11, its p99 goes from 1.0 ms to 10.0 ms. 2 of 3 classes of sizes have the 100 executions that show a p99.',
    )
  })

  it('says nothing of a p99 that too few executions show', () => {
    expect(overSizeText([FEW], 100)).toBe(
      'All executions were of one class of sizes. 0 of 1 class of sizes have the 100 executions that show a p99.',
    )
    expect(overSizeText([SMALL, FEW], 100)).toBe('1 of 2 classes of sizes has the 100 executions that show a p99.')
    expect(p99IntervalText(FEW)).toBeNull()
    expect(p99IntervalText({ ...SMALL, p99_high_ms: null })).toBe('from 0.90 ms')
    expect(p99IntervalText(SMALL)).toBe('0.90 ms … 1.2 ms')
  })

  it('is along the rows where every execution makes as many requests', () => {
    expect(axisOf([SMALL, LARGE])).toBe('requests')
    expect(axisOf([SMALL, { ...SMALL, rows: 50 }])).toBe('rows')
    expect(axisOf([SMALL])).toBe('requests')
    expect(overSizeText([SMALL, { ...LARGE, requests: 3, rows: 50 }], 100)).toContain('From 3 rows to 50, its p99')
  })

  it('names a class by its ends, and its prediction by those of both', () => {
    expect([rangeText(1, 1), rangeText(4, 7)]).toEqual(['1', '4 to 7'])
    expect(predictedText(SMALL)).toBe('≈ 0.80 ms to 1.1 ms')
    expect(predictedText({ ...SMALL, predicted: null })).toBe('–')
  })
})
