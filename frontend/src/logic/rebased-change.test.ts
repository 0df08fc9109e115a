import { expect, test } from 'vitest'
import { changeBetween, rebasedChange, type TextChange } from './rebased-change'

const applied = (text: string, change: TextChange | null | 'overlap') =>
  change === null || change === 'overlap' ? text : text.slice(0, change.start) + change.text + text.slice(change.end)

test('a change is what lies between the common beginning and the common end', () => {
  expect(changeBetween('one two three', 'one 2 three')).toEqual({ start: 4, end: 7, text: '2' })
  expect(changeBetween('aa', 'aaa')).toEqual({ start: 2, end: 2, text: 'a' })
  expect(changeBetween('same', 'same')).toBeNull()
})

test.each([
  ['😀', '😁'],
  ['a😀b', 'a😁b'],
  ['x😀', 'x😀😀'],
  ['😀😀', '😀'],
  ['𐀀', '𠀀'],
])('no character of two units is cut: %s becomes %s', (before, after) => {
  const change = changeBetween(before, after)
  expect(applied(before, change)).toBe(after)
  expect(change && before.slice(change.start, change.end) + change.text).not.toMatch(
    /^[\udc00-\udfff]|[\ud800-\udbff]$/,
  )
})

test('a change moves along with what others have changed before it', () => {
  const change = rebasedChange('a\nb\nc', 'a\nb\nC', 'new\na\nb\nc')
  expect(applied('new\na\nb\nc', change)).toBe('new\na\nb\nC')
})

test('a change before what others have changed stays where it is', () => {
  const change = rebasedChange('a\nb\nc', 'A\nb\nc', 'a\nb\nc\nd')
  expect(applied('a\nb\nc\nd', change)).toBe('A\nb\nc\nd')
})

test('two changes of one place are for a person to choose', () => {
  expect(rebasedChange('a b c', 'a X c', 'a Y c')).toBe('overlap')
})

test('the same change made by both is made once', () => {
  expect(rebasedChange('a b', 'a X', 'a X')).toBeNull()
})
