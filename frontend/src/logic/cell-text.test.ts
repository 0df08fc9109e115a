import { describe, expect, it } from 'vitest'
import { startOf } from './cell-text'

describe('a cell', () => {
  it('shows a text whole, up to a thousand characters', () => {
    expect(startOf('x'.repeat(1000))).toEqual({ start: 'x'.repeat(1000), length: null })
  })

  it('shows the start of a longer one, and how long it is', () => {
    expect(startOf('x'.repeat(65_536))).toEqual({ start: 'x'.repeat(500), length: 65_536 })
  })

  it('cuts no character in two', () => {
    expect(startOf('x'.repeat(499) + '🎉'.repeat(600)).start).toBe('x'.repeat(499))
    expect(startOf('🎉'.repeat(600)).start).toBe('🎉'.repeat(250))
  })
})
