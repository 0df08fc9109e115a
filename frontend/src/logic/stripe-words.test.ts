import { describe, expect, it } from 'vitest'
import { busyText, type Dial, declaresView, dialSentence, shownSteps, stepNotes } from './stripe-words'

const step = (stripes: number) => ({ stripes, busy: 1.8 / stripes, read_requests: stripes, read_ms: 1, write_ms: 5 })
const DIAL: Dial = {
  stripes: 1,
  per_second: 900,
  change_ms: 2,
  partition_bears: 500,
  most_busy: 0.5,
  is_in_turn: false,
  needed: 4,
  write: 'addLike',
  steps: [1, 2, 4, 8, 16, 32, 64].map(step),
}

describe('a dial of stripes', () => {
  it('shows the usual numbers, and one beyond the largest that matters', () => {
    const shown = (dial: Dial, chosen: number) => shownSteps(dial, chosen).map(({ stripes }) => stripes)
    expect(shown(DIAL, Number.NaN)).toEqual([1, 2, 4, 8, 16])
    expect(shown({ ...DIAL, needed: 20 }, 4)).toEqual([1, 2, 4, 8, 16, 32])
    expect(shown(DIAL, 64)).toEqual([1, 2, 4, 8, 16, 32, 64])
  })

  it('says what follows from what was measured, and what was not', () => {
    expect(dialSentence(DIAL)).toContain('900 a second need 4 stripes: each partition is then busy for 50 %')
    expect(dialSentence(DIAL)).toContain('was not measured')
    expect(dialSentence({ ...DIAL, needed: 1 })).toContain('need no stripes')
    expect(dialSentence({ ...DIAL, needed: null })).toContain('No number of stripes bears 900')
    expect(dialSentence({ ...DIAL, needed: null, is_in_turn: true })).toContain('stripes do not help')
  })

  it('marks the number of the text and the one that is needed', () => {
    expect([1, 2, 4].map((stripes) => stepNotes(DIAL, step(stripes)))).toEqual([['now'], [], ['needed']])
    expect(stepNotes({ ...DIAL, needed: 1 }, step(1))).toEqual(['now', 'needed'])
  })

  it('says how busy a partition is', () => {
    expect([1, 2, 4, 64].map((stripes) => busyText(step(stripes)))).toEqual([
      '≈ 1.8 times over',
      '≈ 90 %',
      '≈ 45 %',
      '≈ 2.8 %',
    ])
  })
})

it('finds a view in texts by its whole name', () => {
  const texts = [{ text: 'CREATE TABLE likes (…);\ncreate view\n  likesOf AS SELECT …' }]
  expect(declaresView(texts, 'likesOf')).toBe(true)
  expect(declaresView(texts, 'likes')).toBe(false)
  expect(declaresView([{ text: 'CREATE VIEW "a.b" AS SELECT' }], 'a.b')).toBe(true)
  expect(declaresView([{ text: 'CREATE VIEW axb AS SELECT' }], 'a.b')).toBe(false)
})
