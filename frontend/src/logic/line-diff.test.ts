import { describe, expect, it } from 'vitest'
import { diffLines, hunks } from './line-diff'

const MARK = { same: ' ', added: '+', removed: '-' }
const drawn = (before: string, after: string) =>
  hunks(diffLines(before, after)).map((line) => (line === null ? '…' : MARK[line.kind] + line.text))

describe('a line diff', () => {
  it('shows a changed line as removed and added, with what stands around it', () => {
    expect(drawn('a\nb\nLIMIT 100\nc', 'a\nb\nLIMIT 50\nc')).toEqual([' a', ' b', '-LIMIT 100', '+LIMIT 50', ' c'])
  })

  it('leaves out what is far from a change', () => {
    expect(drawn('1\n2\n3\n4\n5\n6\n7\n8\nx', '0\n1\n2\n3\n4\n5\n6\n7\n8\ny')).toEqual([
      '+0',
      ' 1',
      ' 2',
      '…',
      ' 7',
      ' 8',
      '-x',
      '+y',
    ])
  })

  it('is empty where nothing changed', () => {
    expect(drawn('a\nb', 'a\nb')).toEqual([])
  })
})
