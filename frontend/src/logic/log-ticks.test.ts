import { describe, expect, it } from 'vitest'
import { logTicks } from './log-ticks'

describe('the ticks of a logarithmic axis', () => {
  it('are at 1, 2 and 5 of each power of ten', () => {
    expect(logTicks(0.9, 21)).toEqual([1, 2, 5, 10, 20])
  })

  it('are round numbers all along an axis that is shorter than a power of ten', () => {
    expect(logTicks(8.9, 13.9)).toEqual([9, 10, 11, 12, 13])
    expect(logTicks(42, 58)).toEqual([45, 50, 55])
  })

  it('are powers of ten where more would stand too close', () => {
    expect(logTicks(0.5, 2000)).toEqual([1, 10, 100, 1000])
  })
})
