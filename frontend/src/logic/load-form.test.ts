import { describe, expect, it } from 'vitest'
import { type Callable, effectOf, loadErrors, loadRequest, loadSummary, START, writesOf } from './load-form'

const QUERIES: Callable[] = [
  { name: 'findUser', kind: 'select' },
  { name: 'addUser', kind: 'insert' },
  { name: 'dropUser', kind: 'delete' },
]

describe('the form of a load run', () => {
  it('calls every query that reads when nothing else is chosen', () => {
    expect(loadErrors(START, QUERIES)).toEqual({})
    expect(loadRequest(START, QUERIES)).toMatchObject({ queries: [], mix: null, rates: [50], seconds: 30 })
  })

  it('sends the weights that are typed, and nothing of a query without one', () => {
    const typed = { ...START, mix: 'own', weights: { findUser: '3', addUser: ' ' } }
    expect(loadRequest(typed, QUERIES).queries).toEqual([{ name: 'findUser', weight: 3 }])
  })

  it('allows a write only when its effect was confirmed, and says what that is', () => {
    const typed = { ...START, mix: 'own', weights: { addUser: '1', dropUser: '1' }, seen: ['addUser', 'findUser'] }
    expect(writesOf(typed, QUERIES).map(({ name }) => name)).toEqual(['addUser', 'dropUser'])
    expect(loadRequest(typed, QUERIES).allow_writes).toEqual(['addUser'])
    expect(effectOf({ name: 'dropUser', kind: 'delete' }, 'production')).toBe(
      'dropUser deletes rows of production for good.',
    )
  })

  it('has no rate in a closed loop', () => {
    const typed = { ...START, isClosed: true, rates: 'nothing' }
    expect(loadErrors(typed, QUERIES)).toEqual({})
    expect(loadRequest(typed, QUERIES).rates).toBeNull()
    expect(loadSummary(typed)).toBe('Takes 30 s, and makes as many calls as are answered.')
  })

  it('says how long steps take together and how many calls they are', () => {
    expect(loadSummary({ ...START, rates: '50, 100,200', seconds: '10' })).toBe(
      'Takes 30 s, and makes about 3,500 calls.',
    )
  })

  it.each([
    ['rates', { rates: '50,,60' }],
    ['rates', { rates: '-1' }],
    ['seconds', { seconds: '0' }],
    ['connections', { connections: '1.5' }],
    ['weights', { mix: 'own' }],
    ['weights', { mix: 'own', weights: { findUser: 'often' } }],
  ])('says what is wrong with the %s', (field, change) => {
    expect(Object.keys(loadErrors({ ...START, ...change }, QUERIES))).toEqual([field])
  })
})
