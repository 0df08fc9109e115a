import { describe, expect, it } from 'vitest'
import { type CurvePoint, latencySpan, movePoint } from './curve'

const point = (latencyMs: number | null, upperMs: number | null = null): CurvePoint => ({
  value: 1,
  latencyMs,
  upperMs,
  state: 'measured',
  isKept: true,
})

describe('a curve', () => {
  it('makes room for its points, their upper bounds and the SLO', () => {
    const { low, high } = latencySpan([point(2, 3), point(8, 12), point(null)], 20)
    expect(low).toBeLessThan(2)
    expect(high).toBeGreaterThan(20)
  })

  it('is not pressed flat by an SLO that is far away', () => {
    expect(latencySpan([point(2), point(8)], 5000)).toEqual(latencySpan([point(2), point(8)], 0.001))
  })

  it('survives points without a number', () => {
    const { low, high } = latencySpan([point(null)], 50_000)
    expect(low).toBeLessThan(high)
  })

  it('is walked point by point and stays inside', () => {
    expect(movePoint(0, 'ArrowLeft', 3)).toBe(0)
    expect(movePoint(1, 'ArrowRight', 3)).toBe(2)
    expect(movePoint(1, 'End', 3)).toBe(2)
    expect(movePoint(1, 'Home', 3)).toBe(0)
    expect(movePoint(1, 'x', 3)).toBeUndefined()
  })
})
