import { describe, expect, it } from 'vitest'
import { ALL, type LoadedSecond, loadPoints } from './load-lines'

const SECOND: LoadedSecond = {
  at: 1,
  asked: 50,
  done: 48,
  errors: 5,
  refused: 2,
  window_p50_ms: 1.5,
  window_p99_ms: 9,
  queries: [{ query: 'findUser', calls: 12, errors: 1, refused: 1, p50_ms: 0.5, p99_ms: 2 }],
}

describe('the lines of a load run', () => {
  it('keep refusals apart from errors, and take percentiles from the window', () => {
    expect(loadPoints([SECOND], ALL)).toEqual([{ at: 1, asked: 50, done: 48, errors: 3, refused: 2, p50: 1.5, p99: 9 }])
  })

  it('show one query by the calls that ended in each second', () => {
    const later = { ...SECOND, at: 3 }
    expect(loadPoints([SECOND, later], 'findUser').map(({ done, errors, refused }) => [done, errors, refused])).toEqual(
      [
        [12, 0, 1],
        [6, 0, 1],
      ],
    )
  })

  it('are empty for a query that was not called', () => {
    expect(loadPoints([SECOND], 'other')[0]).toMatchObject({ done: 0, p99: null })
  })
})
