import { expect, it } from 'vitest'
import { comparedWith } from './compared-saves'

it('compares the newest save with the one before it, and others with the text of now, if nothing is chosen', () => {
  expect(comparedWith(undefined, 7, 7)).toBe('before')
  expect(comparedWith(undefined, 3, 7)).toBe('now')
})

it('takes what the address says, and ignores what is no other save', () => {
  expect(comparedWith('now', 7, 7)).toBe('now')
  expect(comparedWith('before', 3, 7)).toBe('before')
  expect(comparedWith('900', 3, 7)).toBe(900)
  for (const text of ['3', '0', '-2', '1.5', 'soon']) expect(comparedWith(text, 3, 7)).toBe('now')
})
