import { describe, expect, it } from 'vitest'
import type { Grid } from './heatmap'
import { closerValues, cornersOf, regionBetween, summaryOf } from './heatmap-region'

const grid: Grid = {
  xs: [10, 50, 100],
  ys: [5, 20],
  p99: [
    [3, 8, 15],
    [6, 30, null],
  ],
  states: [
    ['measured', 'interpolated', 'measured'],
    ['interpolated', 'extrapolated', 'refused'],
  ],
  meets: [
    [true, true, true],
    [true, false, false],
  ],
}

describe('a region of a heatmap', () => {
  it('is the same in whichever direction it is drawn', () => {
    const region = { x1: 50, y1: 5, x2: 100, y2: 20 }
    expect(regionBetween(grid, { column: 2, row: 0 }, { column: 1, row: 1 })).toEqual(region)
    expect(cornersOf(grid, region)).toEqual({ first: { column: 1, row: 0 }, last: { column: 2, row: 1 } })
  })

  it('says how many cells keep the SLO, and which of them has the largest limits', () => {
    expect(summaryOf(grid, { first: { column: 0, row: 0 }, last: { column: 2, row: 1 } })).toEqual({
      cells: 6,
      kept: 4,
      unknown: 1,
      range: { low: 3, high: 30 },
      largest: { column: 2, row: 0 },
    })
  })

  it('has no largest cell where none keeps the SLO', () => {
    expect(summaryOf(grid, { first: { column: 1, row: 1 }, last: { column: 2, row: 1 } })).toMatchObject({
      kept: 0,
      largest: null,
    })
  })

  it('is looked at closer with whole numbers between its sides, and the limit of the text', () => {
    expect(closerValues(3, 6, 100)).toEqual([3, 4, 5, 6])
    expect(closerValues(7, 7, 7)).toEqual([7])
    const values = closerValues(50, 500, 100)
    expect(values[0]).toBe(50)
    expect(values.at(-1)).toBe(500)
    expect(values).toContain(100)
    expect(values.length).toBeLessThanOrEqual(15)
    expect(closerValues(0, 2, 9)).toEqual([0, 1, 2])
  })

  it('lies nowhere in a map of other values', () => {
    expect(cornersOf(grid, { x1: 200, y1: 5, x2: 300, y2: 20 })).toBeNull()
  })
})
