import { describe, expect, it } from 'vitest'
import { calibrationVerdict, lineOfQueries, outcomesText, ratioText } from './calibration'

const NONE = { slower: 0, faster: 0, agrees: 0, undecided: 0, too_few: 0 }

function query(outcome: 'slower' | 'agrees' | 'too few', p99_ms: number, executions = 500) {
  return { agreement: { outcome }, sizes: [{ executions, p99_ms, predicted: { typical_p99_ms: 10 } }] }
}

describe('how well queries are predicted', () => {
  it('counts verdicts, and takes the ratios of sizes with executions enough', () => {
    const line = lineOfQueries([query('slower', 30), query('agrees', 11), query('too few', 90, 20)])
    expect(line).toEqual({
      outcomes: { ...NONE, slower: 1, agrees: 1, too_few: 1 },
      samples: 1020,
      ratio: 2.05,
      least_ratio: 1.1,
      most_ratio: 3,
    })
  })

  it('says nothing where nothing was predicted', () => {
    expect(lineOfQueries([{ agreement: null, sizes: [] }])).toBeNull()
  })

  it('calls a prediction too low where executions are slower', () => {
    expect(calibrationVerdict({ ...NONE, slower: 2, agrees: 3 })).toBe('too low')
    expect(calibrationVerdict({ ...NONE, faster: 1 })).toBe('too high')
    expect(calibrationVerdict({ ...NONE, slower: 1, faster: 1 })).toBe('both')
    expect(calibrationVerdict({ ...NONE, agrees: 1, undecided: 4 })).toBe('fits')
    expect(calibrationVerdict({ ...NONE, undecided: 4 })).toBe('not known')
  })

  it('writes counts and ratios', () => {
    expect(outcomesText({ ...NONE, slower: 2, agrees: 3 })).toBe('2 too low, 3 as predicted')
    expect([ratioText(1.438), ratioText(0.0521), ratioText(null)]).toEqual(['1.4 ×', '0.052 ×', '–'])
  })
})
