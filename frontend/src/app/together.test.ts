// @vitest-environment happy-dom
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { Participant } from '../logic/together'
import { switchTogether, takesPart, tellTogether, useTogether } from './together'

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

describe('who is there', () => {
  const ada = (query: string | null): Participant => ({
    client: 7,
    tab: 'ada',
    name: 'Ada',
    query,
    top: 1,
    goesTo: null,
    colour: 0,
  })

  it('is told again only where something of it is different: a caret that moves is nothing', () => {
    tellTogether({ path: 'schema.piql', state: 'live', others: [ada('find')] })
    const listener = vi.fn()
    const stop = useTogether.subscribe(listener)
    tellTogether({ path: 'schema.piql', state: 'live', others: [ada('find')] })
    expect(listener).not.toHaveBeenCalled()
    tellTogether({ path: 'schema.piql', state: 'live', others: [ada('other')] })
    expect(listener).toHaveBeenCalledOnce()
    expect(useTogether.getState().others).toEqual([ada('other')])
    stop()
  })
})
