import { describe, expect, it } from 'vitest'
import { nextFilters, readTyped, shownValue, typedValue } from './row-values'

describe('shownValue', () => {
  it('tells NULL, an empty text and the text NULL apart', () => {
    expect(shownValue(null, 'TEXT')).toEqual({ kind: 'null', text: 'NULL' })
    expect(shownValue('', 'TEXT')).toEqual({ kind: 'text', text: '' })
    expect(shownValue('NULL', 'TEXT').kind).toBe('text')
  })

  it('shows digits that JavaScript has no number for', () => {
    expect(shownValue('9007199254740993', 'BIGINT')).toEqual({ kind: 'number', text: '9007199254740993' })
    expect(shownValue('1.10', 'DECIMAL(10, 2)').text).toBe('1.10')
  })

  it('shows bytes as they are written in PIQL, with their number', () => {
    expect(shownValue({ $base64: 'AP8=' }, 'BLOB')).toEqual({ kind: 'bytes', text: "X'00FF'", more: '2 bytes' })
    expect(shownValue({ $base64: btoa('x'.repeat(20)) }, 'BLOB').text).toMatch(/…'$/)
  })

  it('shows moments in UTC', () => {
    expect(shownValue('2026-01-31T12:00:00.000Z', 'TIMESTAMP').text).toBe('2026-01-31T12:00:00.000Z')
  })
})

describe('readTyped', () => {
  it('gives back what a field holds for a value', () => {
    for (const [value, type] of [
      [null, 'TEXT'],
      ['', 'TEXT'],
      [' a ', 'VARCHAR(4)'],
      [7, 'INT'],
      ['9007199254740993', 'BIGINT'],
      [1.5, 'DOUBLE'],
      ['12.50', 'DECIMAL(10, 2)'],
      [true, 'BOOLEAN'],
      [{ $base64: 'AP8=' }, 'BLOB'],
      ['2026-01-31T12:00:00.000Z', 'TIMESTAMP'],
    ] as const)
      expect(readTyped(typedValue(value), type)).toEqual(value)
  })

  it('sends what is no value as it was typed', () => {
    expect(readTyped('x', 'INT')).toBe('x')
    expect(readTyped('1.0', 'INT')).toBe('1.0')
    expect(readTyped('', 'DOUBLE')).toBe('')
    expect(readTyped('maybe', 'BOOLEAN')).toBe('maybe')
  })
})

describe('nextFilters', () => {
  const filters = [
    ['owner', 'posted'],
    ['town', 'owner'],
  ]

  it('offers what the key or an index begins with', () => {
    expect(nextFilters(filters, [])).toEqual(['owner', 'town'])
    expect(nextFilters(filters, ['owner'])).toEqual(['posted'])
    expect(nextFilters(filters, ['town'])).toEqual(['owner'])
    expect(nextFilters(filters, ['owner', 'posted'])).toEqual([])
  })
})
