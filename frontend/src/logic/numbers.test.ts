import { describe, expect, it } from 'vitest'
import { numberError, SLO_RULES } from './numbers'

describe('a field for a number', () => {
  it('takes what lies within its limits', () => {
    expect(numberError('99.9', SLO_RULES.percent)).toBeUndefined()
    expect(numberError(' 600 ', SLO_RULES.interval)).toBeUndefined()
    expect(numberError('5000', { least: 1, most: 5000, isWhole: true })).toBeUndefined()
  })

  it('says what it takes when it gets something else', () => {
    expect(numberError('abc', SLO_RULES.interval)).toBe('A number from 0.1 to 86,400.')
    expect(numberError('', SLO_RULES.percent)).toBe('A number from 50 to 99.99.')
    expect(numberError('-4', SLO_RULES.threshold)).toBe('A number from 0.0001 to 3,600,000.')
    expect(numberError('2.5', { least: 1, most: 16, isWhole: true })).toBe('A whole number from 1 to 16.')
    expect(numberError('1e999', { least: 1, most: 16 })).toBe('A number from 1 to 16.')
  })
})
