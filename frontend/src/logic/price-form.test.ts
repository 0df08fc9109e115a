import { describe, expect, it } from 'vitest'
import { NO_PRICES, priceFormOf, pricesOf } from './price-form'

const NODES = { kind: 'nodes', of: 'Ours', date: 'May 2026', node_month: 300, requests_a_second: 5000 } as const
const REQUESTS = { kind: 'requests', of: 'Somebody', date: 'May 2026', read: 0.25, write: 1.25 } as const
const BUCKET = { kind: 'bucket', name: 'amazon', levels: 3 } as const

describe('the form of a sheet of prices', () => {
  it('gives back each sheet that it was given', () => {
    for (const prices of [null, NODES, REQUESTS, BUCKET]) expect(pricesOf(priceFormOf(prices))).toEqual(prices)
  })

  it('gives nothing until all is typed', () => {
    const form = { ...NO_PRICES, kind: 'nodes', nodeMonth: '300', requestsASecond: '5000' } as const
    expect(pricesOf(form)).toBeUndefined()
    expect(pricesOf({ ...form, of: ' Ours ', date: 'May 2026' })).toEqual(NODES)
    expect(pricesOf({ ...priceFormOf(REQUESTS), read: '-1' })).toBeUndefined()
    expect(pricesOf({ ...priceFormOf(BUCKET), levels: '10' })).toBeUndefined()
  })
})
