import { describe, expect, it } from 'vitest'
import type { CapacityAnswer } from './capacity'
import {
  belowHeadline,
  bindingText,
  estimate,
  formatDollars,
  formatShort,
  headlineOf,
  verdictOf,
} from './capacity-words'

const USERS = { low: 46_900, mid: 63_600, high: 99_500 }
const THOUGHTSTREAM = { kind: 'query', query: 'thoughtstream' } as const
const CAPACITY: CapacityAnswer = {
  is_one_node: true,
  nodes: 1,
  cores: 1,
  demands: 'measured',
  queries: [
    {
      query: 'thoughtstream',
      quantile: 0.99,
      slo_ms: 400,
      breaks_at_users: USERS,
    },
  ],
  unbounded: [],
  growth: { low: 2.35, mid: 3.18, high: 4.98 },
  firsts: [{ binding: THOUGHTSTREAM, share_of_draws: 1, is_slow_alone: false }],
  users_taken: USERS,
  is_full_of_data: false,
  by_users: [],
}

function withFirst(
  change: Partial<CapacityAnswer['firsts'][number]>,
  rest: Partial<CapacityAnswer> = {},
): CapacityAnswer {
  return { ...CAPACITY, ...rest, firsts: CAPACITY.firsts.map((first) => ({ ...first, ...change })) }
}

describe('the headline', () => {
  it('says which query breaks first, and at how many users', () => {
    expect(headlineOf(CAPACITY)).toEqual({
      text: 'Breaks first: thoughtstream, at ≈ 63.6k users (9 of 10 from 46.9k to 99.5k).',
      tone: 'accent',
    })
    expect(belowHeadline(CAPACITY)).toBe('One embedded store, in 100 of 100 draws. The work of a query is measured.')
  })

  it('is a warning where the present load is too much already', () => {
    expect(headlineOf({ ...CAPACITY, growth: { low: 0.5, mid: 0.8, high: 1.1 } }).tone).toBe('danger')
  })

  it('says that nodes fill first, and that all SLOs are kept until then', () => {
    const full = withFirst({ binding: { kind: 'nodes', query: null } }, { nodes: 3 })
    expect(headlineOf(full).text).toBe(
      'The nodes fill first, at ≈ 63.6k users (9 of 10 from 46.9k to 99.5k); until then all SLOs are kept.',
    )
    expect(headlineOf({ ...full, nodes: 1, queries: [] }).text).toMatch(/^The node fills first, .*99.5k\).$/)
  })

  it('says that data fills the node first', () => {
    expect(headlineOf({ ...CAPACITY, is_full_of_data: true }).text).toMatch(/^The data fills the node first, at ≈/)
  })

  it('says that nothing helps a query that is slow alone', () => {
    expect(headlineOf(withFirst({ is_slow_alone: true }))).toEqual({
      text: 'thoughtstream breaks its SLO with nothing else running. No node helps it.',
      tone: 'danger',
    })
  })
})

describe('an estimate', () => {
  it('has its interval where the draws differ, and never a bare ≤', () => {
    expect(estimate(USERS, formatShort)).toBe('≈ 63.6k (9 of 10 from 46.9k to 99.5k)')
    expect(estimate({ low: 3, mid: 3, high: 3 }, formatShort, ' nodes')).toBe('≈ 3 nodes')
  })

  it('may be without end', () => {
    expect(estimate({ low: null, mid: null, high: null }, formatShort)).toBe('without end')
    expect(estimate({ low: 5, mid: null, high: null }, formatShort)).toBe('at least ≈ 5')
    expect(estimate({ low: 5, mid: 7, high: null }, formatShort)).toBe('≈ 7 (9 of 10 from 5 to ∞)')
  })

  it('has three digits and a unit', () => {
    expect([0.0123, 999, 1000, 63_612, 999_999, 1.25e6, 1e9].map(formatShort)).toEqual([
      '0.0123',
      '999',
      '1k',
      '63.6k',
      '1000k',
      '1.25M',
      '1G',
    ])
    expect(formatDollars(12_400)).toBe('$12.4k')
  })
})

describe('the verdict about an SLO', () => {
  it('is as sure as the interval', () => {
    const latency = { low: 100, mid: 200, high: 300 }
    expect([300, 200, 150, 90].map((slo) => verdictOf(latency, slo)?.text)).toEqual([
      'kept',
      'likely kept',
      'likely broken',
      'broken',
    ])
    expect(verdictOf(latency, null)).toBeNull()
    expect(verdictOf({ low: null, mid: null, high: null }, 300)?.text).toBe('broken')
  })
})

it('what limits is named', () => {
  expect(bindingText(THOUGHTSTREAM)).toBe('thoughtstream')
  expect(bindingText({ kind: 'data', query: null })).toBe('the data')
  expect(bindingText({ kind: 'nodes', query: null })).toBe('how busy nodes are')
})
