import { expect, test } from 'vitest'
import { changed, changesOf, movedSelection } from './text-changes'

const at = (offset: number) => ({ anchor: offset, head: offset })
const insertion = (start: number, text: string) => ({ start, end: start, text })

test('a delta is a change for each place', () => {
  expect(changesOf([{ retain: 2 }, { insert: 'xy' }, { delete: 3 }, { retain: 1 }, { insert: 'z' }])).toEqual([
    { start: 2, end: 5, text: 'xy' },
    { start: 6, end: 6, text: 'z' },
  ])
  expect(changesOf([{ delete: 1 }, { insert: 'a' }])).toEqual([{ start: 0, end: 1, text: 'a' }])
  expect(changed('abcdefg', [{ start: 2, end: 5, text: 'xy' }, insertion(6, 'z')])).toBe('abxyfzg')
})

test('a caret stays behind the character that it was behind', () => {
  expect(movedSelection(at(3), [insertion(3, 'theirs')])).toEqual(at(3))
  expect(movedSelection(at(3), [insertion(2, 'theirs')])).toEqual(at(9))
  expect(movedSelection(at(3), [insertion(0, 'a'), { start: 1, end: 5, text: '' }])).toEqual(at(2))
  expect(movedSelection(at(0), [insertion(0, 'theirs')])).toEqual(at(0))
})

test('a selection takes in nothing that others write at its ends', () => {
  const changes = [insertion(2, 'before'), insertion(5, 'after')]
  expect(movedSelection({ anchor: 2, head: 5 }, changes)).toEqual({ anchor: 8, head: 11 })
  expect(movedSelection({ anchor: 5, head: 2 }, changes)).toEqual({ anchor: 11, head: 8 })
  expect(movedSelection({ anchor: 2, head: 5 }, [{ start: 1, end: 6, text: 'x' }])).toEqual({ anchor: 2, head: 2 })
})
