// @vitest-environment happy-dom
import { QueryClient } from '@tanstack/react-query'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { keyOf } from './environment'
import { unlessKnown } from './pulse'

const SHOP = { application: 'shop', environment: 'development' }
const KEY = ['threads', 'shop']

let client: QueryClient
let asked = 0

beforeEach(() => {
  vi.useRealTimers()
  client = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  asked = 0
})

function tell(comments: string, environment = 'development'): void {
  client.setQueryData(keyOf('pulse', { ...SHOP, environment }), { health: {}, versions: { comments } })
}

async function ask(): Promise<string> {
  asked += 1
  return `answer ${asked}`
}

/** What a panel does again and again. */
const look = (more: { oldestMs?: number; isOutdated?: boolean } = {}) =>
  client.fetchQuery({
    queryKey: KEY,
    queryFn: () => unlessKnown({ client, queryKey: KEY, of: { application: 'shop' }, kind: 'comments', ...more }, ask),
  })

describe('what is known', () => {
  it('is taken while the pulse has the same version, and asked for once it has another one', async () => {
    tell('one')
    expect(await look()).toBe('answer 1')
    expect(await look()).toBe('answer 1')
    tell('two')
    expect(await look()).toBe('answer 2')
    expect(await look()).toBe('answer 2')
  })

  it('is asked for again where the version changed while it was asked for', async () => {
    tell('one')
    await client.fetchQuery({
      queryKey: KEY,
      queryFn: () =>
        unlessKnown({ client, queryKey: KEY, of: SHOP, kind: 'comments' }, () => {
          tell('two')
          return ask()
        }),
    })
    expect(await look()).toBe('answer 2')
  })

  it('is the version in the answer, where there is one', async () => {
    tell('one')
    await client.fetchQuery({
      queryKey: KEY,
      queryFn: () => unlessKnown({ client, queryKey: KEY, of: SHOP, kind: 'comments' }, ask, () => 'two'),
    })
    tell('two')
    expect(await look()).toBe('answer 1')
  })

  it('is asked for again where the page knows better, where it is old, and after it was made invalid', async () => {
    tell('one')
    await look()
    expect(await look({ isOutdated: true })).toBe('answer 2')
    expect(await look({ oldestMs: 0 })).toBe('answer 3')
    await client.invalidateQueries({ queryKey: KEY })
    expect(await look()).toBe('answer 4')
    expect(await look()).toBe('answer 4')
  })

  it('is asked for each time while no pulse comes: none ever came, or the last one is long ago', async () => {
    await look()
    tell('one')
    expect(await look()).toBe('answer 2')
    vi.useFakeTimers({ now: Date.now() + 60_000, toFake: ['Date'] })
    expect(await look()).toBe('answer 3')
    expect(await look()).toBe('answer 4')
  })

  it('is told by the environment that is looked at now, where several were', async () => {
    tell('one', 'staging')
    await look()
    vi.useFakeTimers({ now: Date.now() + 1000, toFake: ['Date'] })
    tell('two')
    expect(await look()).toBe('answer 2')
    expect(await look()).toBe('answer 2')
  })
})
