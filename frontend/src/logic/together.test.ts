import { expect, test } from 'vitest'
import { guestName, initials, othersOf } from './together'

test('the others are listed by name, each with what they look at', () => {
  const states = new Map([
    [3, { name: 'Ben', tab: 't3', query: 'findUser', top: 4 }],
    [1, { name: 'Me', tab: 't1' }],
    [2, { name: 'Ada', tab: 't2', goesTo: 'schema.piql' }],
  ])
  expect(othersOf(states, 1)).toEqual([
    { client: 2, tab: 't2', name: 'Ada', query: null, top: null, goesTo: 'schema.piql', colour: 1 },
    { client: 3, tab: 't3', name: 'Ben', query: 'findUser', top: 4, goesTo: null, colour: 2 },
  ])
})

test('whoever says nothing of themselves, or nonsense, is a guest', () => {
  expect(othersOf(new Map([[1207, { name: 5, query: {}, top: 'x' }]]), 1)).toEqual([
    { client: 1207, tab: '1207', name: guestName(1207), query: null, top: null, goesTo: null, colour: 0 },
  ])
})

test('a name is shown by the first letters of its words', () => {
  expect(initials('Ada Lovelace')).toBe('AL')
  expect(initials('ben')).toBe('B')
  expect(initials('ada@example.org')).toBe('AE')
  expect(initials('Guest 123')).toBe('G1')
})
