import { expect, it } from 'vitest'
import { limitText } from './limit-text'

it('says what shares a limit, or that it is one of the whole table', () => {
  expect(limitText({ limit: 1000, columns: ['owner', 'day'] })).toBe('≤ 1,000 per owner, day')
  expect(limitText({ limit: 40, columns: [] })).toBe('≤ 40 rows')
})
