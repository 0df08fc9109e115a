import { describe, expect, it } from 'vitest'
import { gravestFirst } from './problem-order'

const problem = (severity: 'error' | 'warning' | 'info', query: string | null, code: string) => ({
  severity,
  query,
  code,
})
const query = (name: string, operations: number | null) => ({
  name,
  bound: operations === null ? null : { operations },
})

describe('Problems', () => {
  it('are errors, warnings and hints, each by the requests that their query may make', () => {
    const listed = gravestFirst(
      [
        problem('info', 'dear', 'a hint'),
        problem('warning', 'cheap', 'the first in the text'),
        problem('warning', 'dear', 'of the dearest query'),
        problem('warning', null, 'of no query'),
        problem('error', 'refused', 'of a query without a bound'),
      ],
      [query('cheap', 2), query('dear', 101), query('refused', null)],
    )
    expect(listed.map(({ code }) => code)).toEqual([
      'of a query without a bound',
      'of the dearest query',
      'the first in the text',
      'of no query',
      'a hint',
    ])
  })
})
