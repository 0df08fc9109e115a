import { describe, expect, it } from 'vitest'
import { formatDollars } from '../units'
import { monthText, mostText, onAverageText, parseRate } from './price-words'

const NONE = { most: null, kept: null, month_most: null, why_none: 'no' }

describe('prices in words', () => {
  it('says ≤ before what is proven, and a dash where there is no price', () => {
    expect(mostText({ ...NONE, most: 0.02525 })).toBe('≤ $0.0253')
    expect(mostText(NONE)).toBe('–')
    expect(mostText(undefined)).toBe('')
  })

  it('says ≈ before what was observed, as a range where it is one', () => {
    const price = { low: 0.001, high: 0.001, month_low: 3, month_high: 4.5 }
    expect(onAverageText(price)).toBe('≈ $0.001')
    expect(monthText(price)).toBe('≈ $3 to $4.5 a month at this rate')
  })

  it('never shows a price smaller than it is', () => {
    expect(formatDollars(0.0252501)).toBe('$0.0253')
    expect(formatDollars(1234.1)).toBe('$1,235')
    expect(formatDollars(0.00000012345)).toBe('$0.000000124')
    expect(formatDollars(0)).toBe('$0')
  })

  it('takes a rate above 0 alone', () => {
    expect(parseRate(' 2.5 ')).toBe(2.5)
    for (const text of ['', '0', '-1', 'ten', '1e13', undefined]) expect(parseRate(text)).toBeNull()
  })
})
