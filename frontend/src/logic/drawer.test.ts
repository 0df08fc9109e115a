import { describe, expect, it } from 'vitest'
import { closed, type Drawer, emptied, isDrawerOpen, OPENED } from './drawer'

const FRESH: Drawer = { isClosedByHand: false, isAskedFor: false }

describe('the drawer of problems', () => {
  it('is open while there are problems, and closes at none', () => {
    expect([isDrawerOpen(FRESH, true), isDrawerOpen(FRESH, false)]).toEqual([true, false])
    expect(isDrawerOpen(emptied(OPENED), false)).toBe(false)
    expect(isDrawerOpen(emptied(OPENED), true)).toBe(true)
  })

  it('stays closed by hand, whatever comes, until it is opened', () => {
    const shut = emptied(closed(FRESH, true))
    expect([isDrawerOpen(shut, false), isDrawerOpen(shut, true)]).toEqual([false, false])
    expect(isDrawerOpen(OPENED, true)).toBe(true)
  })

  it('can be looked into when it is empty, and closing it then is forgotten', () => {
    expect(isDrawerOpen(OPENED, false)).toBe(true)
    expect(isDrawerOpen(closed(OPENED, false), false)).toBe(false)
    expect(isDrawerOpen(closed(OPENED, false), true)).toBe(true)
    expect(isDrawerOpen(closed(closed(FRESH, true), false), true)).toBe(false)
  })
})
