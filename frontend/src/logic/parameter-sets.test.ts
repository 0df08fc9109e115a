import { describe, expect, it } from 'vitest'
import { areSame, fittingTexts, misfitsOf, misfitText, withUnknown } from './parameter-sets'

const ME = { name: 'me', type: 'VARCHAR(32)' }
const COUNT = { name: 'count', type: 'INT', max_value: 50 }
const TOWNS = { name: 'towns', type: 'VARCHAR(32)', max_items: 5 }

describe('a set that fits', () => {
  it('has a value for each parameter, and nothing is said of it', () => {
    const misfits = misfitsOf([ME, TOWNS], { towns: ['Oslo'], me: null })
    expect(misfits).toEqual({ unknown: [], missing: [], unlike: [] })
    expect(misfitText('near', misfits)).toBeNull()
    expect(fittingTexts([ME, TOWNS], { towns: ['Oslo', 'Rome'], me: null })).toEqual({ towns: 'Oslo\nRome', me: null })
  })
})

describe('a set that does not fit any more', () => {
  const values = { me: ['ada'], before: 7 }

  it('says which names differ, and that it is kept', () => {
    expect(misfitText('near', misfitsOf([ME, COUNT], values))).toBe(
      'This set does not fit any more: near has no parameter before; there is no value for count; ' +
        'me is a list in one and a single value in the other. It is kept as it is.',
    )
  })

  it('gives the form only what fits', () => {
    expect(fittingTexts([ME, COUNT], { ...values, count: 3 })).toEqual({ count: '3' })
  })

  it('keeps the values that the query has no parameter for when others are changed', () => {
    expect(withUnknown([ME], values, { me: 'bob' })).toEqual({ before: 7, me: 'bob' })
  })
})

it('sets are the same in any order of their names', () => {
  expect(areSame({ me: 'ada', count: 1 }, { count: 1, me: 'ada' })).toBe(true)
  expect(areSame({ me: 'ada' }, { me: 'ada', count: 1 })).toBe(false)
  expect(areSame({ me: null }, { me: '' })).toBe(false)
})
