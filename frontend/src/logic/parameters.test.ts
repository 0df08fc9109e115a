import { describe, expect, it, vi } from 'vitest'
import {
  canBeNull,
  isList,
  isOfLines,
  isOnClock,
  kindOf,
  localInstant,
  readParameters,
  typedOf,
  valueOf,
  writeParameter,
} from './parameters'

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

  it('are rows in JSON, one a line, where an INSERT takes a list of rows', () => {
    const rows = { name: 'rows', type: 'ROW(id INT, town VARCHAR(9))', max_items: 5 }
    const typed = '{"id":1,"town":null}\n[2,"Oslo"]\nno row'
    const values = [{ id: 1, town: null }, [2, 'Oslo'], 'no row']
    expect(readParameters([rows], { rows: typed })).toEqual({ rows: values })
    expect(writeParameter(rows, values.slice(0, 2))).toBe('{"id":1,"town":null}\n[2,"Oslo"]')
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

  it('are NULL where that was chosen, of every type that has it', () => {
    const types = ['VARCHAR(32)', 'INT', 'BOOLEAN', 'TIMESTAMP', 'BLOB', 'DECIMAL(5,2)']
    for (const type of types) expect(readParameters([{ name: 'p', type }], { p: null })).toEqual({ p: null })
    expect(typedOf({ name: 'p', type: 'INT' }, null)).toBeNull()
    expect(typedOf({ name: 'p', type: 'INT' }, 3)).toBe('3')
  })

  it('have NULL as a choice, but for lists and the count of a LIMIT', () => {
    expect(canBeNull({ name: 'text', type: 'VARCHAR(140)', max_items: null, max_value: null })).toBe(true)
    expect(canBeNull({ name: 'friends', type: 'VARCHAR(32)', max_items: 50, max_value: null })).toBe(false)
    expect(canBeNull({ name: 'count', type: 'INT', max_items: null, max_value: 50 })).toBe(false)
  })

  it('send no NULL that their field cannot show: a later version made a list or a count of the parameter', () => {
    const [list, count] = [
      { name: 'friends', type: 'VARCHAR(32)', max_items: 50 },
      { name: 'count', type: 'INT', max_value: 50 },
    ]
    expect(readParameters([list, count], { friends: null, count: null })).toEqual({ friends: [] })
    expect([typedOf(list, null), typedOf(count, null)]).toEqual(['', ''])
  })

  it('hold an empty text where nothing is held, whatever they are called', () => {
    expect(valueOf({}, 'constructor')).toBe('')
    expect(valueOf({ constructor: null }, 'constructor')).toBeNull()
  })

  it('show times on the reader’s clock and send them in UTC', () => {
    const iso = '2026-03-01T12:30:05.120Z'
    const parameter = { name: 'posted', type: 'TIMESTAMP' }
    expect(readParameters([parameter], { posted: writeParameter(parameter, iso) })).toEqual({ posted: iso })
    expect(localInstant('never')).toBe('never')
  })

  it('show in UTC what the reader’s clock shows twice or not at all', () => {
    const parameter = { name: 'posted', type: 'TIMESTAMP' }
    vi.stubEnv('TZ', 'Europe/Berlin')
    for (const iso of [
      '2026-10-25T00:30:00.000Z',
      '2026-10-25T01:30:00.000Z',
      '9999-12-31T23:59:59.999Z',
      '0001-01-01T00:00:00.000Z',
    ]) {
      expect(readParameters([parameter], { posted: writeParameter(parameter, iso) })).toEqual({ posted: iso })
    }
    expect(writeParameter(parameter, '2026-10-25T01:30:00.000Z')).toBe('2026-10-25T01:30:00.000Z')
    expect(isOnClock('2026-10-25T01:30:00.000Z')).toBe(false)
    expect(readParameters([parameter], { posted: '2026-03-29T02:30' })).toEqual({ posted: '2026-03-29T02:30' })
    vi.stubEnv('TZ', 'America/New_York')
    expect(writeParameter(parameter, '0001-01-01T00:00:00.000Z')).toBe('0001-01-01T00:00:00.000Z')
    vi.unstubAllEnvs()
  })

  it('send no number that was not typed', () => {
    const whole = { name: 'n', type: 'BIGINT' }
    for (const n of ['9007199254740993.0', '9007199254740993e0', '0x10', '1e3', '1,000'])
      expect(readParameters([whole], { n })).toEqual({ n })
    expect(readParameters([whole], { n: '+5' })).toEqual({ n: 5 })
    const double = { name: 'd', type: 'DOUBLE' }
    for (const d of ['1e400', '1e-400', '0x10', 'Infinity']) expect(readParameters([double], { d })).toEqual({ d })
    expect(readParameters([double], { d: '9007199254740992' })).toEqual({ d: 9_007_199_254_740_992 })
    expect([readParameters([double], { d: '.5' }), readParameters([double], { d: '0e5' })]).toEqual([
      { d: 0.5 },
      { d: 0 },
    ])
  })

  it('are no moments where the text is none', () => {
    const times = { name: 'times', type: 'TIMESTAMP', max_items: 9 }
    const typed = [
      '5',
      'hello 3',
      '2026',
      '2026-02-30T00:00',
      '2026-02-30',
      '2026-02-30T00:00:00Z',
      '2026-01-01T25:00',
      '2026-01-01T02:00+02:00',
    ]
    expect(readParameters([times], { times: typed.join('\n') })).toEqual({ times: typed })
    expect(readParameters([times], { times: '2026-01-01' })).toEqual({ times: [new Date(2026, 0, 1).toISOString()] })
  })

  it('may have any name', () => {
    const parameters = ['__proto__', 'constructor', 'tostring'].map((name) => ({ name, type: 'INT' }))
    expect(readParameters(parameters, {})).toEqual({})
    const typed = Object.fromEntries(parameters.map(({ name }) => [name, '1']))
    expect(JSON.stringify(readParameters(parameters, typed))).toBe('{"__proto__":1,"constructor":1,"tostring":1}')
  })

  it('have a field of lines where a text may have them', () => {
    expect(isOfLines({ type: 'VARCHAR(9)' }, 'a\nb')).toBe(true)
    expect(isOfLines({ type: 'VARCHAR(9)' }, 'ab')).toBe(false)
    expect(isOfLines({ type: 'TEXT' }, '')).toBe(true)
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
    expect(['BIGINT', 'DECIMAL(5,2)', 'UUID', 'TIMEUUID', 'BOOLEAN'].map((type) => kindOf({ type }))).toEqual([
      'number',
      'text',
      'text',
      'text',
      'boolean',
    ])
  })
})
