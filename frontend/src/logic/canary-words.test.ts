import { describe, expect, it } from 'vitest'
import {
  differenceText,
  eventText,
  looksText,
  shareText,
  stateText,
  thresholdsText,
  typedShare,
  typedThreshold,
} from './canary-words'

const CANARY = {
  version: 4,
  base_version: 3,
  stage: 'open' as const,
  share: 0.05,
  thresholds: { errors_percent: null, burn: null },
  looks: { count: 0, next_at: 100, error: 0.05 },
}

describe('what is said of a version that is tried', () => {
  it('names its share and where the others go', () => {
    expect(stateText(CANARY)).toBe('Version 4 is tried on 5 % of the executions. The others go to version 3.')
    expect(stateText({ ...CANARY, stage: 'made' })).toContain('Executions go to version 3 alone')
    expect(stateText({ ...CANARY, stage: 'closing' })).toContain('was withdrawn')
    expect(shareText(0.125)).toBe('12.5 %')
  })

  it('says when it is withdrawn by itself', () => {
    expect(thresholdsText({ errors_percent: null, burn: null })).toBe('It is withdrawn by people alone.')
    expect(thresholdsText({ errors_percent: 5, burn: 14.4 })).toBe(
      'It is withdrawn by itself when more than 5 % of its executions fail, or a query breaks its SLO more than 14.4 ' +
        'times as often as it allows.',
    )
  })

  it('says how many tests were made and how wrong they may be', () => {
    expect(looksText(CANARY)).toBe(
      'No test was made yet; the next one is at 100 executions of the tried version. ' +
        'That any of them is wrong has a probability of at most 5 %.',
    )
    expect(looksText({ ...CANARY, looks: { count: 3, next_at: 800, error: 0.05 } })).toContain('3 tests were made')
  })

  it('has a verdict in the words of what was measured', () => {
    expect(differenceText('p99', 'worse')).toBe('slower')
    expect(differenceText('errors', 'better')).toBe('fails less')
    expect(differenceText('requests', 'worse')).toBe('more requests')
    expect(differenceText('p99', 'too few')).toBe('too few')
  })

  it('tells who decided what', () => {
    const event = { version: 4, share: 0.05, person: 'ada' }
    expect(eventText({ ...event, act: 'began' })).toBe('Version 4: tried on 5 % by ada')
    expect(eventText({ ...event, act: 'withdrawn', person: null })).toBe('Version 4: withdrawn')
  })
})

describe('what is typed', () => {
  it('is a share where it is a number of percent', () => {
    expect(typedShare('5')).toBe(0.05)
    expect(typedShare('0,5')).toBe(0.005)
    for (const text of ['', 'a lot', '101', '-1']) expect(typedShare(text)).toBeNull()
  })

  it('is a threshold, none, or a mistake', () => {
    expect(typedThreshold('14.4', 1, 1000)).toBe(14.4)
    expect(typedThreshold('', 1, 1000)).toBeNull()
    expect(typedThreshold('0.5', 1, 1000)).toBeUndefined()
  })
})
