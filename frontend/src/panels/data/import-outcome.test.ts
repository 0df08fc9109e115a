import { describe, expect, it } from 'vitest'
import type { FileImport } from '../../api/types'
import { importOutcome } from './import-outcome'

const CHECKED: FileImport = {
  id: 'a',
  table: 'users',
  file_name: 'users.csv',
  state: 'checked',
  size: 9,
  uploaded: 9,
  columns: ['username'],
  suggested: ['username'],
  sample: [],
  rows_total: 600,
  rows_done: 600,
  line: 601,
  new: 597,
  changed: 0,
  unchanged: 0,
  rows_in: 0,
  line_in: 0,
  skipped: 0,
  problems: [],
  is_more: false,
  partly_from: null,
  partly_to: null,
  message: null,
}
const COUNTS = '600 rows checked, nothing written: 597 new, 0 replace a row with the same key, 0 unchanged.'

function faultsOf(...lines: (number | null)[]): Pick<FileImport, 'problems'> {
  return { problems: lines.map((line, at) => ({ line, column: `c${at}`, value: 'x', message: 'is no number' })) }
}

describe('the outcome of a check', () => {
  it('is the counts where all lines are right', () => {
    expect(importOutcome(CHECKED)).toBe(COUNTS)
  })

  it('says first how many lines are wrong, each counted once', () => {
    expect(importOutcome({ ...CHECKED, ...faultsOf(3, 3, 9, 12) })).toBe(`3 lines are wrong. ${COUNTS}`)
    expect(importOutcome({ ...CHECKED, ...faultsOf(3) })).toBe(`1 line is wrong. ${COUNTS}`)
  })

  it('claims no count where there may be more faults, or where a fault has no line', () => {
    expect(importOutcome({ ...CHECKED, ...faultsOf(3, 4), is_more: true })).toBe(
      `At least 2 lines are wrong. ${COUNTS}`,
    )
    expect(importOutcome({ ...CHECKED, ...faultsOf(null) })).toBe(`The file has faults. ${COUNTS}`)
  })
})
