// @vitest-environment happy-dom
import { beforeEach, describe, expect, it } from 'vitest'
import { switchTogether, takesPart } from './together'

beforeEach(() => localStorage.clear())

describe('a browser', () => {
  it('takes part in live sessions where people sign in', () => {
    expect(takesPart(true)).toBe(true)
    expect(takesPart(false)).toBe(false)
  })

  it.each([true, false])('does what was chosen in it, whether people sign in or not: %s', (isTeam) => {
    const before = takesPart(isTeam)
    switchTogether(isTeam)
    expect(takesPart(isTeam)).toBe(!before)
    switchTogether(isTeam)
    expect(takesPart(isTeam)).toBe(before)
  })
})
