import { describe, expect, it } from 'vitest'
import { changesBetween } from './set-changes'

const query = (name: string, operations: number | null, text = name) => ({
  name,
  text,
  bound: operations === null ? null : { operations, formula: String(operations) },
})

describe('two states of a set', () => {
  it('differ by the queries that came, went and changed', () => {
    const changes = changesBetween(
      [query('a', 1), query('b', 1), query('c', 1)],
      [query('b', 1, 'other text'), query('c', 1), query('d', 1)],
    )
    expect(changes).toEqual({ added: ['d'], removed: ['a'], changed: ['b'], bounds: [] })
  })

  it('differ by a bound that a query did not have, and by one that only its schema changed', () => {
    const changes = changesBetween([query('a', null), query('b', 11)], [query('a', 3), query('b', 1001)])
    expect(changes.changed).toEqual([])
    expect(
      changes.bounds.map(({ query: name, before, after }) => [name, before?.operations, after?.operations]),
    ).toEqual([
      ['a', undefined, 3],
      ['b', 11, 1001],
    ])
  })

  it('do not differ from themselves', () => {
    const same = [query('a', null), query('b', 2)]
    expect(changesBetween(same, same)).toEqual({ added: [], removed: [], changed: [], bounds: [] })
  })
})
