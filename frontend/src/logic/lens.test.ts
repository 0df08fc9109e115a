import { describe, expect, it } from 'vitest'
import { formulaParts, formulaWithValues, lensLines, lensText, shortLensText } from './lens'

const thoughtstream = {
  name: 'thoughtstream',
  is_bounded: true,
  scaling_class: 'II',
  bound: { operations: 101, round_trips: 2 },
}

const estimate = { typical_p99_ms: 153, conservative_p99_ms: 170, p99_ms: 161, is_noisy: false }

describe('the bound lens', () => {
  it('flags a noisy run with its worst interval', () => {
    const noisy = { typical_p99_ms: 48, conservative_p99_ms: null, p99_ms: 460, is_noisy: true }
    expect(lensText(thoughtstream, noisy)).toBe(
      '≤ 101 ops · 2 trips · class II · p99 ≈ 48.0 ms · noisy run, worst ≈ 460 ms',
    )
  })

  it('is shorter in the list of queries', () => {
    expect(shortLensText(thoughtstream, estimate, 51)).toBe('≤ 101 ops (live 51) · 2 trips · p99 ≈ 153 ms')
    expect(shortLensText(thoughtstream, { ...estimate, is_noisy: true })).toBe(
      '≤ 101 ops · 2 trips · p99 ≈ 153 ms (noisy)',
    )
  })

  it('says operations, trips and class', () => {
    expect(lensText(thoughtstream)).toBe('≤ 101 ops · 2 trips · class II')
  })

  it('adds the predicted p99 and the bound that is live where it is another', () => {
    expect(lensText(thoughtstream, estimate, 51)).toBe(
      '≤ 101 ops (live 51) · 2 trips · class II · p99 ≈ 153 ms (9 of 10 ≤ 170 ms)',
    )
    expect(lensText(thoughtstream, null, 201)).toBe('≤ 101 ops (live 201) · 2 trips · class II')
  })

  it('uses the singular for one', () => {
    expect(lensText({ ...thoughtstream, scaling_class: 'I', bound: { operations: 1, round_trips: 1 } })).toBe(
      '≤ 1 op · 1 trip · class I',
    )
  })

  it('says unbounded and nothing else', () => {
    expect(lensText({ name: 'x', is_bounded: false, bound: null, unbounded: [{}] })).toBe('unbounded')
  })

  it('does not call unbounded what could not be read', () => {
    expect(lensText({ name: 'x', is_bounded: false, bound: null, unbounded: [] })).toBe('no bound')
  })
})

describe('the lines of lenses', () => {
  const at = (start_line: number, file = 'a.piql') => ({ range: { file, start_line } })
  const queries = [
    { ...thoughtstream, name: 'below', ...at(9) },
    { ...thoughtstream, name: 'above', ...at(2) },
    { ...thoughtstream, name: 'elsewhere', ...at(1, 'b.piql') },
  ]

  it('stand above the first lines of the queries of a file', () => {
    const lines = lensLines(queries, 'a.piql', new Map([['above', estimate]]), new Map([['below', 51]]))
    expect(lines).toEqual([
      {
        line: 2,
        labels: [
          { query: 'above', text: '≤ 101 ops · 2 trips · class II · p99 ≈ 153 ms (9 of 10 ≤ 170 ms)', isBounded: true },
        ],
      },
      { line: 9, labels: [{ query: 'below', text: '≤ 101 ops (live 51) · 2 trips · class II', isBounded: true }] },
    ])
  })

  it('stand above a table that queries grow with, and name these', () => {
    const grows = (name: string, line: number) => ({
      ...thoughtstream,
      name,
      is_bounded: false,
      ...at(line, 'queries.piql'),
      unbounded: [{ table: 'subscriptions', table_range: at(3).range }],
    })
    expect(lensLines([grows('one', 1), grows('other', 5)], 'a.piql', new Map(), new Map())).toEqual([
      {
        line: 3,
        labels: [{ query: 'one', table: 'subscriptions', text: 'unbounded in one, other', isBounded: false }],
      },
    ])
    expect(lensLines([grows('one', 1)], 'queries.piql', new Map(), new Map())).toEqual([
      { line: 1, labels: [{ query: 'one', text: 'unbounded', isBounded: false }] },
    ])
  })

  it('say the names of queries that begin on one line', () => {
    const lines = lensLines(
      [
        { ...thoughtstream, name: 'one', ...at(1) },
        { ...thoughtstream, name: 'other', ...at(1) },
      ],
      'a.piql',
      new Map(),
      new Map(),
    )
    expect(lines).toHaveLength(1)
    expect(lines[0]?.labels.map((label) => label.text)).toEqual([
      'one ≤ 101 ops · 2 trips · class II',
      'other ≤ 101 ops · 2 trips · class II',
    ])
  })
})

describe('a formula', () => {
  it('has its symbols apart from the arithmetic', () => {
    expect(formulaParts('1 + subscriptions.owner·(1 + count)', ['count', 'subscriptions.owner'])).toEqual([
      { text: '1 + ', isSymbol: false },
      { text: 'subscriptions.owner', isSymbol: true },
      { text: '·(1 + ', isSymbol: false },
      { text: 'count', isSymbol: true },
      { text: ')', isSymbol: false },
    ])
  })

  it('does not find a symbol inside a longer name', () => {
    expect(formulaParts('accounts.count', ['count'])).toEqual([{ text: 'accounts.count', isSymbol: false }])
  })

  it('leaves plain numbers alone even where a term has one for its symbol', () => {
    expect(formulaParts('3 + 1', ['1'])).toEqual([{ text: '3 + 1', isSymbol: false }])
  })

  it('can be read with numbers', () => {
    expect(
      formulaWithValues(
        '1 + S + S × T',
        new Map([
          ['S', 100],
          ['T', 1000],
        ]),
      ),
    ).toBe('1 + 100 + 100 × 1,000')
  })
})
