import { describe, expect, it } from 'vitest'
import { toCsv, toJson } from './table-export'

describe('exported rows', () => {
  it('quote what a comma, a quote or a line break would tear', () => {
    expect(
      toCsv(
        ['owner', 'text'],
        [
          ['a', 'say "hi", twice'],
          ['b', null],
        ],
      ),
    ).toBe('owner,text\r\na,"say ""hi"", twice"\r\nb,\r\n')
  })

  it('never become formulas in a spreadsheet', () => {
    expect(toCsv(['x'], [['=1+1'], [-3]])).toBe("x\r\n'=1+1\r\n-3\r\n")
  })

  it('are objects in JSON', () => {
    expect(JSON.parse(toJson(['a', 'b'], [[1, true]]))).toEqual([{ a: 1, b: true }])
  })
})
