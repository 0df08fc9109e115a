import { describe, expect, it } from 'vitest'
import { gridOf, levelsError, levelsOf, pointsOf, pointText, START, withPoint } from './own-grid'

describe('a grid of one’s own', () => {
  it('reads levels however they are parted, each once and in order', () => {
    expect(levelsOf('100, 1 10;10')).toEqual([1, 10, 100])
    expect(levelsOf('')).toEqual([])
    expect(levelsOf('1, many')).toBeUndefined()
  })

  it('says what a list of levels takes', () => {
    expect(levelsError('scan_rows', '0, 1')).toBe('Whole numbers from 1 to 100,000, such as 1, 10, 100.')
    expect(levelsError('write_entries', '0, 1')).toBeUndefined()
    expect(levelsError('row_bytes', '')).toBe('At least one size.')
    expect(levelsError('scan_rows', '')).toBeUndefined()
  })

  it('measures one column where none are named', () => {
    expect(gridOf({ ...START, columns: '' }).columns).toEqual([1])
  })

  it('counts its points: reads in all widths, writes in all sizes, checks once', () => {
    const levels = gridOf({ ...START, row_bytes: '200, 800', columns: '1, 10' })
    expect(pointsOf(levels)).toBe((3 + 3 + 2 * 2) * 4 + 2 * 2 + 1 * 2 + 2 * 2)
  })

  it('takes up a point that a run lacks, with a size of row only where none is as large', () => {
    const wide = { operator: 'SortedIndexJoin', child_rows: 300, rows: 50, row_bytes: 120, columns: 4 }
    const grid = withPoint(START, wide)
    expect([grid.sorted_child_rows, grid.sorted_rows, grid.row_bytes, grid.columns]).toEqual([
      '10, 100, 300',
      '10, 50',
      '200',
      '1, 4',
    ])
    const write = { operator: 'Write', child_rows: 7, rows: 1, row_bytes: 900, columns: 1 }
    expect(withPoint(START, write).write_entries).toBe('0, 4, 6')
    expect(withPoint(START, write).row_bytes).toBe('200, 900')
    const check = { operator: 'LimitCheck', child_rows: 2, rows: 500, row_bytes: 32, columns: 1 }
    expect(withPoint(START, check)).toEqual({ ...START, limit_groups: '1, 2', limit_rows: '1, 100, 500' })
  })

  it('names a point in words', () => {
    expect(pointText({ operator: 'IndexScan', child_rows: 1, rows: 9000, row_bytes: 96, columns: 3 })).toBe(
      'IndexScan of 9,000 rows of 96 B in 3 columns',
    )
    expect(pointText({ operator: 'Write', child_rows: 2, rows: 1, row_bytes: 96, columns: 1 })).toBe(
      'Write of a row of 96 B with 1 index entry',
    )
  })
})
