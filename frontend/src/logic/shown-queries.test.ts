import { describe, expect, it } from 'vitest'
import type { Comparison, QueryLatency, Verdict } from './latency-comparison'
import { countsOf, shownQueries, stateOf } from './shown-queries'

const comparison = (query: string, verdict: Verdict) =>
  ({ latency: { query }, verdict, sentence: '', ofPrediction: '' }) as Comparison<QueryLatency>
const ALL = [
  comparison('cart', 'failing'),
  comparison('orders_of_customer', 'burning'),
  comparison('orders_of_day', 'agrees'),
  comparison('stock', 'too few'),
  comparison('invoice', 'no-data'),
]
const names = (comparisons: readonly Comparison<QueryLatency>[]) => comparisons.map(({ latency }) => latency.query)

describe('the queries that the dashboard lists', () => {
  it('puts each into one state, so that the counts add up', () => {
    const counts = countsOf(ALL)
    expect(counts).toEqual({ danger: 2, apart: 0, agrees: 1, unjudged: 1, idle: 1 })
    expect(Object.values(counts).reduce((sum, count) => sum + count)).toBe(ALL.length)
  })

  it('keeps those whose names contain all words, in their order, and of these a state', () => {
    const { named, shown } = shownQueries(ALL, ' ORDERS of ', 'danger')
    expect(names(named)).toEqual(['orders_of_customer', 'orders_of_day'])
    expect(names(shown)).toEqual(['orders_of_customer'])
  })

  it('keeps all without a word and without a state, also of an address that names an unknown one', () => {
    expect(shownQueries(ALL, '', stateOf('wrong')).shown).toEqual(ALL)
  })
})
