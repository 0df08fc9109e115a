import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { Incoming } from './incoming'

let taken: string[][] = []
let incoming: Incoming<string>

beforeEach(() => {
  vi.useFakeTimers()
  taken = []
  incoming = new Incoming(
    (message) => message !== 'saved',
    (messages) => void taken.push([...messages]),
  )
})
afterEach(() => vi.useRealTimers())

it('takes a key of somebody after a rest at once, and the caret that follows it', () => {
  incoming.receive('key')
  vi.advanceTimersByTime(2)
  incoming.receive('caret')
  expect(taken).toEqual([['key'], ['caret']])
})

it('takes the keys of several people together while they type', () => {
  for (let elapsedMs = 0; elapsedMs < 1000; elapsedMs += 20) {
    incoming.receive(`key at ${elapsedMs}`)
    vi.advanceTimersByTime(20)
  }
  vi.advanceTimersByTime(200)
  expect(taken.flat()).toEqual(Array.from({ length: 50 }, (_, index) => `key at ${20 * index}`))
  expect(taken.length).toBeLessThanOrEqual(18)
})

it('takes what cannot wait at once, after what came before it', () => {
  incoming.receive('key')
  vi.advanceTimersByTime(20)
  incoming.receive('another')
  expect(taken).toEqual([['key']])
  incoming.receive('saved')
  expect(taken).toEqual([['key'], ['another'], ['saved']])
})

it('takes nothing once it is stopped, and rests', () => {
  incoming.receive('key')
  vi.advanceTimersByTime(20)
  incoming.receive('late')
  incoming.stop()
  vi.advanceTimersByTime(1000)
  expect(taken).toEqual([['key']])
  incoming.receive('new')
  expect(taken).toEqual([['key'], ['new']])
})
