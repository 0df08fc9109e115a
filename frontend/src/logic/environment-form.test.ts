import { describe, expect, it } from 'vitest'
import { createOf, formOf, type KnownEnvironment, missing, NEW_ENVIRONMENT, updateOf } from './environment-form'

const CLUSTER: KnownEnvironment = {
  title: 'Production',
  colour: 'red',
  slo: { threshold_ms: 80 },
  store: {
    url: 'cql://db1,db2/shop',
    is_served: false,
    consistency: 'QUORUM',
    user: { variable: 'SHOP_USER', file: null },
    password: { variable: null, file: '/run/secrets/shop' },
    tls: { ca_file: '/etc/ca.pem', certificate_file: null, key_file: null },
  },
}

describe('the form of an environment', () => {
  it('asks for a file of its own unless a store is named', () => {
    expect(createOf({ ...NEW_ENVIRONMENT, title: ' Staging ', url: 'cql://left/over' })).toEqual({
      title: 'Staging',
      colour: 'grey',
      slo: null,
      store: { url: 'embedded' },
    })
  })

  it('names credentials and certificates of a cluster, and none of a file', () => {
    const form = formOf(CLUSTER)
    expect(createOf(form).store).toEqual({
      url: 'cql://db1,db2/shop',
      consistency: 'QUORUM',
      user: { variable: 'SHOP_USER' },
      password: { file: '/run/secrets/shop' },
      tls: { ca_file: '/etc/ca.pem', certificate_file: null, key_file: null },
    })
    expect(createOf({ ...form, url: 'embedded:/srv/shop.db' }).store).toEqual({ url: 'embedded:/srv/shop.db' })
  })

  it('changes the store only where it is another one', () => {
    const before = formOf(CLUSTER)
    expect(updateOf({ ...before, title: 'Live' }, before)).toEqual({ title: 'Live', colour: 'red' })
    expect(updateOf({ ...before, sloMs: '' }, before)).toEqual({ title: 'Production', colour: 'red', slo: null })
    expect(updateOf(before, before, false).store).toEqual(createOf(before).store) // it came with an archive
    expect(updateOf({ ...before, store: 'own file' }, before).store).toEqual({ url: 'embedded' })
  })

  it('says what is still to be typed', () => {
    expect(missing(NEW_ENVIRONMENT)).toBe('a name')
    expect(missing({ ...NEW_ENVIRONMENT, title: 'x' })).toBeNull()
    expect(missing({ ...NEW_ENVIRONMENT, title: 'x', store: 'named' })).toBe('the address of the store')
    expect(missing({ ...formOf(CLUSTER), password: { from: 'file', name: ' ' } })).toBe(
      'where a credential is read from',
    )
  })
})
