import { describe, expect, it } from 'vitest'
import { pathOfRequest, placeOfDeed, wishLines } from './record'
import { changed, formatView, parseView } from './view'

function addressOf(path: string): string | null {
  const place = placeOfDeed(path)
  return place && formatView(changed(parseView('/record', '?person=ada'), place))
}

describe('the record', () => {
  it('has what was asked for in lines', () => {
    expect(wishLines('{"role": null, "base_version": 3, "is_disabled": true, "checks": {"slos": "warns"}}')).toEqual([
      { name: 'role', value: 'none' },
      { name: 'base version', value: '3' },
      { name: 'is disabled', value: 'yes' },
      { name: 'checks', value: '{"slos":"warns"}' },
    ])
    expect(wishLines('{"application": null}')).toEqual([{ name: 'application', value: 'all' }])
    expect(wishLines('')).toEqual([])
    expect(wishLines('{"why": "cut o')).toEqual([{ name: 'asked for', value: '{"why": "cut o' }])
  })

  it('leads to where something was done', () => {
    const at = '/api/applications/shop/environments/production'
    expect(addressOf(`${at}/deploy-requests/3/reviews`)).toBe('/applications/shop/production/requests/3')
    expect(addressOf(`${at}/deploy-requests`)).toBe('/applications/shop/production/requests')
    expect(addressOf(`${at}/deployments/builds`)).toBe('/applications/shop/production?panel=deploy')
    expect(addressOf(`${at}/slos/a%20b`)).toBe('/applications/shop/production/dashboard?query=a+b')
    expect(addressOf(`${at}/load-runs/r1/cancel`)).toBe('/applications/shop/production/load-runs/r1')
    expect(addressOf('/api/applications/shop/files/queries/a.piql')).toBe(
      '/applications/shop/development?file=queries/a.piql',
    )
    expect(addressOf('/api/applications/shop/threads/7/comments')).toBe(
      '/applications/shop/development?thread=7&panel=comments',
    )
    expect(addressOf('/api/people/ben/role')).toBe('/people')
  })

  it('leads nowhere from a login', () => {
    expect(placeOfDeed('/api/session')).toBeNull()
    expect(placeOfDeed('/elsewhere/applications/shop')).toBeNull()
  })

  it('finds what was done to a deploy request by its path', () => {
    expect(addressOf(pathOfRequest('shop', 'production', 3))).toBe('/applications/shop/production/requests/3')
  })
})
