import { describe, expect, it } from 'vitest'
import { listed } from './application-list'

const SHOP = { id: 'shop', title: 'Shop 2', changed_at: '2026-01-01T00:00:00Z' }
const OLD_SHOP = { id: 'old-shop', title: 'Shop 10', changed_at: '2026-03-01T01:00:00+02:00' }
const CHAT = { id: 'chat', title: 'chat', changed_at: '2026-02-28T23:30:00Z' }
const ALL = [SHOP, OLD_SHOP, CHAT]

describe('the list of applications', () => {
  it('is in the order of names, numbers as numbers, or of the last change', () => {
    expect(listed(ALL, '', 'name')).toEqual([CHAT, SHOP, OLD_SHOP])
    expect(listed(ALL, '', 'change')).toEqual([CHAT, OLD_SHOP, SHOP])
  })

  it('has those that contain each word in name or id', () => {
    expect(listed(ALL, 'SHOP old', 'name')).toEqual([OLD_SHOP])
    expect(listed(ALL, ' cha ', 'name')).toEqual([CHAT])
    expect(listed(ALL, 'none', 'name')).toEqual([])
  })
})
