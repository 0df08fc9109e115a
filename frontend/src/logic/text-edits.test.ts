import { describe, expect, it } from 'vitest'
import { applyEdits, contains, editsByFile, offsetAt, textOf } from './text-edits'

const range = (start_line: number, start_column: number, end_line: number, end_column: number, file = 'a.piql') => ({
  file,
  start_line,
  start_column,
  end_line,
  end_column,
})

describe('text edits', () => {
  it('counts columns in UTF-16 units, so an emoji shifts by two', () => {
    const text = '-- 😀\nLIMIT 50 -- 😀 x'
    expect(text.slice(offsetAt(text, 1, 4), offsetAt(text, 1, 6))).toBe('😀')
    expect(textOf(text, range(2, 7, 2, 9))).toBe('50')
  })

  it('applies several edits of one file together, whatever their order', () => {
    const text = 'one two three'
    const edits = [
      { range: range(1, 9, 1, 14), text: '3' },
      { range: range(1, 1, 1, 4), text: '1' },
    ]
    expect(applyEdits(text, edits)).toBe('1 two 3')
  })

  it('inserts where the range is empty', () => {
    expect(applyEdits('a\nb', [{ range: range(2, 1, 2, 1), text: 'CARDINALITY LIMIT 100 (owner),\n' }])).toBe(
      'a\nCARDINALITY LIMIT 100 (owner),\nb',
    )
  })

  it('refuses edits that overlap', () => {
    const edits = [
      { range: range(1, 1, 1, 4), text: '' },
      { range: range(1, 3, 1, 6), text: '' },
    ]
    expect(() => applyEdits('abcdef', edits)).toThrow('overlap')
  })

  it('clamps positions past the end', () => {
    expect(offsetAt('ab', 9, 9)).toBe(2)
    expect(offsetAt('ab\ncd', 1, 99)).toBe(2)
  })

  it('groups edits by the file they belong to', () => {
    const grouped = editsByFile([
      { range: range(1, 1, 1, 1, 'a.piql'), text: 'x' },
      { range: range(1, 1, 1, 1, 'b.piql'), text: 'y' },
      { range: range(2, 1, 2, 1, 'a.piql'), text: 'z' },
    ])
    expect([...grouped].map(([file, edits]) => [file, edits.length])).toEqual([
      ['a.piql', 2],
      ['b.piql', 1],
    ])
  })

  it('says a caret touching the end is still inside', () => {
    expect(contains(range(1, 1, 2, 3), { file: 'a.piql', line: 2, column: 3 })).toBe(true)
    expect(contains(range(1, 1, 2, 3), { file: 'a.piql', line: 2, column: 4 })).toBe(false)
    expect(contains(range(1, 1, 2, 3), { file: 'b.piql', line: 1, column: 2 })).toBe(false)
  })
})
