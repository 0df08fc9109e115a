import { describe, expect, it } from 'vitest'
import {
  amountText,
  type CapacityQuestion,
  formatQuestion,
  movedTo,
  NO_QUESTION,
  parseAmount,
  parseQuestion,
  withAmount,
} from './capacity-question'

const QUESTION: CapacityQuestion = {
  of: 20_000,
  at: 5_000_000,
  rates: { thoughtstream: { low: 8, mid: 10, high: 13 }, 'find-User 2': { low: 500, mid: 500, high: 500 } },
  rows: { thoughts: { low: 50, mid: 200, high: 800 } },
  unbounded: { followersOf: { low: 0.000_02, mid: 0.000_02, high: 0.000_02 } },
  copies: 3,
  gigabytes: 500,
  nodes: 3,
  cores: 8,
  busy: { low: 0.2, mid: 0.5, high: 1 },
  price: 250.5,
}

describe('a question about capacity', () => {
  it('comes back from its text as it was', () => {
    expect(parseQuestion(formatQuestion(QUESTION))).toEqual(QUESTION)
  })

  it('needs no text where everything is as usual', () => {
    expect(formatQuestion(NO_QUESTION)).toBe('')
    expect(parseQuestion('')).toEqual(NO_QUESTION)
  })

  it('leaves out what cannot be read', () => {
    expect(parseQuestion('of-x*rate-3-2-1-a*rate--b*rate-1e99-c*nonsense*price-0*at--5')).toEqual(NO_QUESTION)
  })
})

describe('an amount', () => {
  it('is one number, or three that grow', () => {
    expect(parseAmount('120')).toEqual({ low: 120, mid: 120, high: 120 })
    expect(parseAmount('80, 120,200')).toEqual({ low: 80, mid: 120, high: 200 })
    for (const wrong of ['', '0', '-1', '1,2', '3,2,1', '1e3', 'many', '1,2,3,4', '9999999999999']) {
      expect(parseAmount(wrong), wrong).toBeNull()
    }
  })

  it('is typed as it is shown', () => {
    for (const text of ['0.5', '80, 120, 200']) expect(amountText(parseAmount(text))).toBe(text)
    expect(amountText(undefined)).toBe('')
  })

  it('keeps its proportions when a slider moves its middle', () => {
    expect(movedTo({ low: 8, mid: 10, high: 13 }, 20)).toEqual({ low: 16, mid: 20, high: 26 })
    expect(movedTo(undefined, 20)).toEqual({ low: 20, mid: 20, high: 20 })
  })

  it('is taken out by its name', () => {
    const one = { low: 1, mid: 1, high: 1 }
    expect(withAmount({ a: one, b: one }, 'a', null)).toEqual({ b: one })
    expect(withAmount({ a: one }, 'b', one)).toEqual({ a: one, b: one })
  })
})
