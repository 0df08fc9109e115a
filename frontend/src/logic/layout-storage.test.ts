import { describe, expect, it } from 'vitest'
import { layoutStorage } from './layout-storage'

function holding(text: string | null) {
  return layoutStorage({ getItem: () => text, setItem: () => undefined })
}

describe('sizes of panels', () => {
  it('are read back as they were written', () => {
    const sizes = '{"sidebar":20,"centre":80}'
    expect(holding(sizes).getItem('columns')).toBe(sizes)
  })

  it.each([
    null,
    '{bad',
    'null',
    '[1,2]',
    '5',
    '"a"',
    '{"sidebar":null}',
    '{"sidebar":"20"}',
    '{"sidebar":-5}',
    '{"sidebar":1e999}',
  ])('are none where the storage holds %s', (text) => expect(holding(text).getItem('columns')).toBeNull())
})
