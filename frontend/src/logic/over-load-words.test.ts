import { describe, expect, it } from 'vitest'
import { type OverLoad, overLoadText } from './over-load-words'

const JUDGED: OverLoad = {
  outcome: 'independent',
  days: 14,
  days_needed: 5,
  ratio: 1.034,
  ratio_low: 0.96,
  ratio_high: 1.1,
  ratio_of_loads: 8.04,
  requests: 11,
  rows: 10,
}

describe('a p99 over the load', () => {
  it('says the verdict, and how much of both', () => {
    expect(overLoadText(JUDGED)).toBe(
      'Independent of the load. With 8.04 times as many executions an hour, its p99 was 1.03 times as long (95 %: 0.96 times to 1.1 times).',
    )
    expect(overLoadText({ ...JUDGED, outcome: 'grows' })).toContain('It grows with the load.')
    expect(overLoadText({ ...JUDGED, outcome: 'undecided' })).toContain('Undecided whether')
  })

  it('says what is missing where nothing can be judged', () => {
    const nothing = { ratio: null, ratio_low: null, ratio_high: null }
    expect(overLoadText({ ...JUDGED, ...nothing, outcome: 'too few', days: 1 })).toContain('on 1 of the 5 days')
    expect(overLoadText({ ...JUDGED, ...nothing, outcome: 'even load' })).toContain('nearly the same')
  })
})
