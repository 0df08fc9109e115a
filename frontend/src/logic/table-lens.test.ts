import { expect, it } from 'vitest'
import { tableLens } from './table-lens'

const LIKES = { made_from: [], limits: [], primary_key: ['post', 'fan'], stripes: null }
const LIMIT = { columns: ['post'], limit: 100 }

it('says the key of a table, or its limits', () => {
  expect(tableLens(LIKES, false)).toEqual(['key post, fan'])
  expect(tableLens({ ...LIKES, limits: [LIMIT] }, false)).toEqual(['≤ 100 per post'])
})

it('says where a query is unbounded', () => {
  expect(tableLens(LIKES, true)).toEqual(['unbounded'])
  expect(tableLens({ ...LIKES, limits: [LIMIT] }, true)).toEqual(['unbounded', '≤ 100 per post'])
})

it('says of a view what it is made from', () => {
  expect(tableLens({ ...LIKES, made_from: ['likes'] }, false)).toEqual(['view of likes', 'key post, fan'])
  expect(tableLens({ ...LIKES, made_from: ['likes', 'posts'] }, true)).toEqual(['view of likes and posts', 'unbounded'])
})

it('a view says how many stripes its groups have', () => {
  const view = { ...LIKES, made_from: ['likes'] }
  expect(tableLens({ ...view, stripes: 8 }, false)).toEqual(['view of likes', '8 stripes', 'key post, fan'])
  expect(tableLens({ ...view, stripes: 1 }, false)).toEqual(['view of likes', 'key post, fan'])
})
