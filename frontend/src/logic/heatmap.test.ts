import { describe, expect, it } from 'vitest'
import {
  axisValues,
  cellText,
  cividis,
  contourPath,
  inkOn,
  logScale,
  moveCell,
  nearestCell,
  sloContour,
} from './heatmap'

/** Reads a drawing, top row first: '.' keeps the SLO, '#' does not. */
function drawing(...rows: string[]): boolean[][] {
  return rows.toReversed().map((row) => [...row].map((mark) => mark === '.'))
}

describe('heatmap', () => {
  it('draws the contour along the sides between kept and broken cells', () => {
    const sides = sloContour(drawing('.##', '..#'))
    expect(sides).toEqual([
      { x1: 2, y1: 0, x2: 2, y2: 1 },
      { x1: 1, y1: 1, x2: 2, y2: 1 },
      { x1: 1, y1: 1, x2: 1, y2: 2 },
    ])
  })

  it('draws no contour where every cell keeps the SLO', () => {
    expect(sloContour(drawing('...', '...'))).toEqual([])
  })

  it('writes the contour as one path', () => {
    expect(contourPath([{ x1: 1, y1: 0, x2: 1, y2: 1 }], (x, y) => [x * 10, 20 - y * 10])).toBe('M10,20L10,10')
  })

  it('scales by the logarithm', () => {
    const scale = logScale([1, 10, 100])
    expect(scale.share(1)).toBe(0)
    expect(scale.share(10)).toBeCloseTo(0.5)
    expect(scale.share(100)).toBe(1)
    expect(scale.share(1e9)).toBe(1)
  })

  it('leaves cells without a number out of the scale, and says that they have none', () => {
    expect(logScale([2, null, 8])).toMatchObject({ low: 2, high: 8 })
    expect(cellText('–', 'refused', false)).toBe('not predicted, too far beyond what was measured')
    expect(cellText('3 ms', 'measured', true, 'the SLO of 5 ms')).toBe('3 ms, measured, keeps the SLO of 5 ms')
  })

  it('survives a flat or empty map', () => {
    expect(logScale([5, 5]).share(5)).toBeCloseTo(0.5)
    expect(logScale([]).share(3)).toBeGreaterThan(0)
  })

  it('chooses ink that reads on either end of the scale', () => {
    expect(inkOn(cividis(0))).toBe('#fff')
    expect(inkOn(cividis(1))).toBe('#000')
  })

  it('moves one cell at a time and stays inside', () => {
    expect(moveCell({ column: 0, row: 0 }, 'ArrowUp', 3, 3)).toEqual({ column: 0, row: 1 })
    expect(moveCell({ column: 0, row: 0 }, 'ArrowLeft', 3, 3)).toEqual({ column: 0, row: 0 })
    expect(moveCell({ column: 0, row: 2 }, 'End', 3, 3)).toEqual({ column: 2, row: 2 })
    expect(moveCell({ column: 0, row: 0 }, 'x', 3, 3)).toBeUndefined()
  })

  it('finds the cell nearest to the present limits', () => {
    expect(nearestCell({ xs: [10, 50, 100], ys: [1, 10] }, 90, 2)).toEqual({ column: 2, row: 0 })
  })

  it('spans an axis from a tenth of the limit to five times it, the limit among them', () => {
    expect(axisValues(100)).toEqual([10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500])
    expect(axisValues(42)).toContain(42)
    expect(axisValues(1)).toEqual([1, 2, 3, 5])
  })
})
