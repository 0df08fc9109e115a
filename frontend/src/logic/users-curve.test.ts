import { describe, expect, it } from 'vitest'
import { curveLabel, endOf, placedLabels, type UsersLine, usersSpan } from './users-curve'

const point = (users: number, mid: number) => ({ users, low: mid / 2, mid, high: mid * 2 })
const FLAT: UsersLine = {
  name: 'feed',
  kind: 'first',
  points: [point(1e3, 100), point(1e4, 120)],
  sloMs: 400,
  breaksAt: 63_600,
}
const RISING: UsersLine = {
  name: 'followers without a bound',
  kind: 'unbounded',
  points: [point(1e3, 0.1), point(1e9, 1e6)],
  sloMs: null,
  breaksAt: null,
}

describe('the axis of latencies', () => {
  it('holds the SLO and what has a bound, and what grows without one leaves it', () => {
    const { low, high } = usersSpan([FLAT, RISING], [400])
    expect(low).toBeLessThan(0.1)
    expect(high).toBe(2000)
  })

  it('has ends also where nothing is told', () => {
    expect(usersSpan([], [])).toEqual({ low: 1, high: 1000 })
  })
})

describe('a line', () => {
  it('ends at its last point, or where it leaves the drawing', () => {
    expect(endOf(FLAT, 2000)).toEqual({ users: 1e4, ms: 120 })
    const { users, ms } = endOf(RISING, 1000) ?? { users: 0, ms: 0 }
    expect(ms).toBe(1000)
    expect(users).toBeCloseTo(10 ** (3 + (4 / 7) * 6))
    expect(endOf({ ...FLAT, points: [point(1e3, 5000)] }, 2000)).toEqual({ users: 1e3, ms: 2000 })
    expect(endOf({ ...FLAT, points: [] }, 2000)).toBeNull()
  })
})

describe('labels', () => {
  it('do not cover each other, and stay inside', () => {
    const placed = placedLabels(
      [
        { name: 'a', x: 0, y: 95 },
        { name: 'b', x: 0, y: 96 },
        { name: 'c', x: 0, y: 10 },
      ],
      0,
      100,
    )
    expect(placed.map(({ name }) => name)).toEqual(['c', 'a', 'b'])
    expect(placed.map(({ y }) => y)).toEqual([1, 86, 100])
  })
})

it('the drawing is told in a sentence', () => {
  expect(curveLabel([FLAT, RISING], String)).toBe(
    'Latency of feed, followers without a bound from 1k to 1G users: feed breaks its SLO at ≈ 63600 users',
  )
})
