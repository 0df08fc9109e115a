import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { spaced } from './spaced'

const PAUSE_MS = 100

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

/** Ends what runs now, as the browser does between two events. */
const endOfEvent = () => vi.advanceTimersByTimeAsync(0)

it('is done at the end of the event that asks after a rest, once for all who ask', async () => {
  const work = vi.fn()
  const { ask } = spaced(PAUSE_MS, work)
  ask()
  ask()
  expect(work).not.toHaveBeenCalled()
  await endOfEvent()
  expect(work).toHaveBeenCalledOnce()
})

it('is done no sooner than a pause after the last time, and then once', async () => {
  const work = vi.fn()
  const { ask } = spaced(PAUSE_MS, work)
  ask()
  await endOfEvent()
  for (let elapsedMs = 0; elapsedMs < PAUSE_MS - 20; elapsedMs += 20) {
    await vi.advanceTimersByTimeAsync(20)
    ask()
    await endOfEvent()
  }
  expect(work).toHaveBeenCalledOnce()
  await vi.advanceTimersByTimeAsync(20)
  expect(work).toHaveBeenCalledTimes(2)
  await vi.advanceTimersByTimeAsync(10 * PAUSE_MS)
  expect(work).toHaveBeenCalledTimes(2)
})

it.each([0, 50])('is not done once it is stopped, %d ms after it was done', async (elapsedMs) => {
  const work = vi.fn()
  const { ask, stop } = spaced(PAUSE_MS, work)
  if (elapsedMs > 0) {
    ask()
    await vi.advanceTimersByTimeAsync(elapsedMs)
    work.mockClear()
  }
  ask()
  stop()
  await vi.advanceTimersByTimeAsync(10 * PAUSE_MS)
  expect(work).not.toHaveBeenCalled()
})
