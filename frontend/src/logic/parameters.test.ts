import { describe, expect, it } from 'vitest'
import { isList, kindOf, localInstant, readParameters, writeParameter } from './parameters'

describe('parameters', () => {
  it('are typed by the query', () => {
    const values = readParameters(
      [
        { name: 'me', type: 'VARCHAR(32)' },
        { name: 'count', type: 'INT', max_value: 50 },
        { name: 'approved', type: 'BOOLEAN' },
        { name: 'friends', type: 'VARCHAR(32)', max_items: 50 },
      ],
      { me: 'user1', count: '10', approved: 'true', friends: 'a\nb\n' },
    )
    expect(values).toEqual({ me: 'user1', count: 10, approved: true, friends: ['a', 'b'] })
  })

  it('are sent as typed when they cannot be read, so that the server explains', () => {
    expect(readParameters([{ name: 'count', type: 'INT' }], { count: 'many' })).toEqual({ count: 'many' })
  })

  it('are left out where nothing was typed, but an empty text is a text', () => {
    const parameters = [
      { name: 'count', type: 'INT' },
      { name: 'me', type: 'VARCHAR(32)' },
    ]
    expect(readParameters(parameters, { count: '' })).toEqual({})
    expect(readParameters(parameters, { me: '' })).toEqual({ me: '' })
  })

  it('show times on the reader’s clock and send them in UTC', () => {
    const iso = '2026-03-01T12:30:05.120Z'
    const parameter = { name: 'posted', type: 'TIMESTAMP' }
    expect(readParameters([parameter], { posted: writeParameter(parameter, iso) })).toEqual({ posted: iso })
    expect(localInstant('never')).toBe('never')
  })

  it('send whole numbers that JavaScript does not hold as their digits', () => {
    const parameter = { name: 'n', type: 'BIGINT' }
    expect(readParameters([parameter], { n: '9007199254740993' })).toEqual({ n: '9007199254740993' })
    expect(readParameters([parameter], { n: '9007199254740991' })).toEqual({ n: 9_007_199_254_740_991 })
  })

  it('show bytes as base64 and send them with their marker', () => {
    const parameter = { name: 'picture', type: 'BLOB' }
    expect(writeParameter(parameter, { $base64: 'AQ==' })).toBe('AQ==')
    expect(readParameters([parameter], { picture: 'AQ==' })).toEqual({ picture: { $base64: 'AQ==' } })
    expect(readParameters([parameter], { picture: '' })).toEqual({})
  })

  it('know lists and kinds by their type', () => {
    expect(isList({ type: 'INT', max_items: 3 })).toBe(true)
    expect(isList({ type: 'INT', max_items: null })).toBe(false)
    expect(['BIGINT', 'DECIMAL(5,2)', 'UUID', 'bool'].map((type) => kindOf({ type }))).toEqual(['number', 'text', 'text', 'boolean'])
  })
})
