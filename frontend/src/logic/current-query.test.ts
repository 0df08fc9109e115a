import { describe, expect, it } from 'vitest'
import {
  answerToKey,
  atAddress,
  type CurrentQuery,
  chosen,
  follow,
  type PlacedQuery,
  queryUnder,
  READING_MS,
  type RunKey,
} from './current-query'

const query = (name: string, file: string, start: number, end = start, operations = 1): PlacedQuery => ({
  name,
  range: { file, start_line: start, start_column: 1, end_line: end, end_column: 40 },
  bound: { operations },
})
const caret = (file: string, line: number, column = 5) => ({ file, line, column })

// reads.piql: a comment, two queries, an empty line between them. writes.piql: one query. schema.piql: none.
const QUERIES = [
  query('find', 'reads.piql', 2, 3),
  query('stream', 'reads.piql', 5, 8, 101),
  query('subscribe', 'writes.piql', 2, 4, 3),
]
const current = (name: string): CurrentQuery => chosen(QUERIES, name)
const name = (of: CurrentQuery | null) => of?.name

describe('the query under the caret', () => {
  it('is the one whose text the caret stands in or touches', () => {
    expect(queryUnder(QUERIES, caret('reads.piql', 3))?.name).toBe('find')
    expect(queryUnder(QUERIES, caret('reads.piql', 5, 1))?.name).toBe('stream')
    expect(queryUnder(QUERIES, caret('reads.piql', 8, 40))?.name).toBe('stream')
  })

  it('is still the one that ends on the line before the caret, as behind its semicolon', () => {
    expect(queryUnder(QUERIES, caret('reads.piql', 3, 44))?.name).toBe('find')
  })

  it('is of two on one line the one that has begun', () => {
    const twice = [
      query('one', 'a.piql', 1),
      {
        ...query('two', 'a.piql', 1),
        range: { file: 'a.piql', start_line: 1, start_column: 42, end_line: 1, end_column: 80 },
      },
    ]
    expect(queryUnder(twice, caret('a.piql', 1, 41))?.name).toBe('one')
    expect(queryUnder(twice, caret('a.piql', 1, 42))?.name).toBe('two')
    expect(queryUnder(twice, caret('a.piql', 1, 90))?.name).toBe('two')
  })

  it('is none in a comment, between queries, in a schema and without a caret', () => {
    expect(queryUnder(QUERIES, caret('reads.piql', 1))).toBeUndefined()
    expect(queryUnder(QUERIES, caret('reads.piql', 4))).toBeUndefined()
    expect(queryUnder(QUERIES, caret('schema.piql', 2))).toBeUndefined()
    expect(queryUnder(QUERIES, null)).toBeUndefined()
  })
})

describe('the current query, of two with one name', () => {
  // twice.piql: find again, whose name stands for the one of reads.piql, and a query of its own.
  const TWICE = [
    ...QUERIES,
    query('mine', 'twice.piql', 6),
    { ...query('find', 'twice.piql', 2, 3), isRepeated: true, bound: null },
  ]
  const second = { name: 'find', position: { file: 'twice.piql', index: 0, count: 2 }, isRepeated: true }

  it('is the one that the caret is in, never the one that the name stands for', () => {
    expect(follow(TWICE, caret('twice.piql', 2), chosen(TWICE, 'stream'))).toEqual(second)
    expect(follow(TWICE, caret('twice.piql', 2), chosen(TWICE, 'find'))).toEqual(second)
    expect(follow(TWICE, caret('reads.piql', 2), second)).toMatchObject({ name: 'find', isRepeated: false })
  })

  it('stays while the caret is in no query of its file', () => {
    expect(follow(TWICE, caret('twice.piql', 4), second)).toEqual(second)
  })

  it('is the first when it is chosen by name, or named by an address', () => {
    expect(chosen(TWICE, 'find').position?.file).toBe('reads.piql')
    expect(atAddress(TWICE, { query: 'find', file: 'reads.piql' })?.isRepeated).toBe(false)
  })

  it('is never taken for being heaviest', () => {
    expect(name(follow(TWICE, null, null))).toBe('stream')
  })

  it('has a plan of its own as soon as it is renamed', () => {
    const renamed = [...QUERIES, query('another', 'twice.piql', 2, 3), query('mine', 'twice.piql', 6)]
    expect(follow(renamed, caret('twice.piql', 4), second)).toMatchObject({ name: 'another', isRepeated: false })
  })
})

describe('the current query', () => {
  it('is the one under the caret, whatever was chosen before', () => {
    expect(name(follow(QUERIES, caret('reads.piql', 6), current('subscribe')))).toBe('stream')
  })

  it('stays when the caret moves out of it within its file', () => {
    expect(name(follow(QUERIES, caret('reads.piql', 4), current('stream')))).toBe('stream')
    expect(name(follow(QUERIES, caret('reads.piql', 1), current('stream')))).toBe('stream')
  })

  it('is of the file that is opened: the nearest below the caret, else the last above', () => {
    expect(name(follow(QUERIES, caret('reads.piql', 1), current('subscribe')))).toBe('find')
    expect(name(follow(QUERIES, caret('reads.piql', 4), current('subscribe')))).toBe('stream')
    expect(name(follow(QUERIES, caret('reads.piql', 30), current('subscribe')))).toBe('stream')
  })

  it('stays while a file without queries is open', () => {
    expect(name(follow(QUERIES, caret('schema.piql', 3), current('subscribe')))).toBe('subscribe')
  })

  it('stays without a caret', () => {
    expect(name(follow(QUERIES, null, current('subscribe')))).toBe('subscribe')
  })

  it('keeps its place when it is renamed, also while another file is open', () => {
    const renamed = [QUERIES[0] as PlacedQuery, query('timeline', 'reads.piql', 5, 8, 101), QUERIES[2] as PlacedQuery]
    expect(name(follow(renamed, caret('schema.piql', 1), current('stream')))).toBe('timeline')
    expect(name(follow(renamed, caret('reads.piql', 4), current('stream')))).toBe('timeline')
  })

  it('is the one that an undo brings back under the caret', () => {
    const without = QUERIES.filter((entry) => entry.name !== 'stream')
    const after = follow(without, caret('reads.piql', 5), current('stream'))
    expect(name(after)).toBe('find')
    expect(name(follow(QUERIES, caret('reads.piql', 8), after))).toBe('stream')
  })

  it('gives way when it is deleted: to the nearest of the file, else to the one that asks most', () => {
    const without = QUERIES.filter((entry) => entry.name !== 'subscribe')
    expect(name(follow(without, caret('writes.piql', 1), current('subscribe')))).toBe('stream')
    const first = QUERIES.filter((entry) => entry.name !== 'find')
    expect(name(follow(first, caret('reads.piql', 1), current('find')))).toBe('stream')
    expect(follow([], caret('reads.piql', 1), current('find'))).toBeNull()
  })

  it('is of two with one name the one that has a plan, wherever that is now', () => {
    const moved = [query('find', 'other.piql', 1), query('stream', 'reads.piql', 5, 8)]
    expect(follow(moved, caret('schema.piql', 1), current('find'))).toEqual({
      name: 'find',
      position: { file: 'other.piql', index: 0, count: 1 },
      isRepeated: false,
    })
  })

  it('may be live only, until the caret is in a query', () => {
    const live = chosen(QUERIES, 'old')
    expect(live.position).toBeNull()
    expect(name(follow(QUERIES, caret('schema.piql', 1), live))).toBe('old')
    expect(name(follow(QUERIES, caret('reads.piql', 2), live))).toBe('find')
  })
})

describe('an address', () => {
  it('names its query', () => {
    expect(name(atAddress(QUERIES, { query: 'stream', file: 'reads.piql' }))).toBe('stream')
    expect(name(atAddress(QUERIES, { query: 'stream' }))).toBe('stream')
    expect(name(atAddress(QUERIES, { query: 'stream', file: 'schema.piql' }))).toBe('stream')
  })

  it('that names a query of another file means the file', () => {
    expect(name(atAddress(QUERIES, { query: 'subscribe', file: 'reads.piql' }))).toBe('find')
    expect(name(atAddress(QUERIES, { file: 'reads.piql' }))).toBe('find')
  })

  it('without a query that there is leads to the one that asks most', () => {
    expect(name(atAddress(QUERIES, { query: 'nothing' }))).toBe('stream')
    expect(name(atAddress([...QUERIES, { ...query('grows', 'schema.piql', 3), bound: null }], {}))).toBe('grows')
    expect(atAddress([], { query: 'nothing' })).toBeNull()
  })
})

describe('the key that runs', () => {
  const key = (given: Partial<RunKey>): RunKey => ({
    isWrite: false,
    isUnderCaret: false,
    isFromForm: false,
    seen: null,
    values: {},
    shownMs: Infinity,
    ...given,
  })

  it('runs what reads when it is under the caret or in the form', () => {
    expect(answerToKey(key({ isUnderCaret: true }))).toBe('run')
    expect(answerToKey(key({ isFromForm: true }))).toBe('run')
  })

  it('only shows what the caret is not in', () => {
    expect(answerToKey(key({}))).toBe('show')
    expect(answerToKey(key({ isWrite: true }))).toBe('show')
  })

  it('shows a write first, and runs it from its form with the values that were seen', () => {
    const values = { me: 'ada' }
    expect(answerToKey(key({ isWrite: true, isUnderCaret: true, values }))).toBe('show')
    expect(answerToKey(key({ isWrite: true, isUnderCaret: true, seen: values, values }))).toBe('show')
    expect(answerToKey(key({ isWrite: true, isFromForm: true, values }))).toBe('show')
    expect(answerToKey(key({ isWrite: true, isFromForm: true, seen: {}, values }))).toBe('show')
    expect(answerToKey(key({ isWrite: true, isFromForm: true, seen: values, values }))).toBe('run')
  })

  it('is not taken by a write whose form came just before: nobody has read it', () => {
    const seen = { me: 'ada' }
    const pressed = (shownMs: number) =>
      answerToKey(key({ isWrite: true, isFromForm: true, seen, values: seen, shownMs }))
    expect([0, READING_MS - 1, READING_MS].map(pressed)).toEqual(['show', 'show', 'run'])
    expect(answerToKey(key({ isFromForm: true, seen, values: seen, shownMs: 0 }))).toBe('run')
  })

  it('shows a write without parameters first, too', () => {
    expect(answerToKey(key({ isWrite: true, isUnderCaret: true }))).toBe('show')
    expect(answerToKey(key({ isWrite: true, isFromForm: true, seen: {} }))).toBe('run')
  })
})
