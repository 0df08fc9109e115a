import { describe, expect, it } from 'vitest'
import { cardPlace } from './tour-place'

const window = { width: 1440, height: 900 }

describe('the card of the tour', () => {
  it('stands right of the lists and left of the panels', () => {
    expect(cardPlace({ left: 0, top: 76, width: 252, height: 800 }, window)).toMatchObject({ left: 264, top: 88 })
    expect(cardPlace({ left: 864, top: 76, width: 576, height: 800 }, window)).toMatchObject({ left: 512, top: 88 })
  })

  it('stands below what is as wide as the window', () => {
    expect(cardPlace({ left: 0, top: 44, width: 1440, height: 32 }, window)).toMatchObject({ left: 12, top: 88 })
  })

  it('stays inside a narrow window', () => {
    const { left, top } = cardPlace({ left: 0, top: 100, width: 390, height: 700 }, { width: 390, height: 844 })
    expect(left).toBeGreaterThanOrEqual(8)
    expect(left + 340).toBeLessThanOrEqual(390)
    expect(top).toBe(844 - 230 - 34)
  })
})
