// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { afterPaint } from './after-paint'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

it('does the newest work of a name once, after the frame', () => {
  const done: string[] = []
  afterPaint('text', () => done.push('first'))
  afterPaint('text', () => done.push('second'))
  afterPaint('other', () => done.push('other'))
  expect(done).toEqual([])
  vi.advanceTimersByTime(1000)
  expect(done).toEqual(['second', 'other'])
})

it('does it without a frame where nobody looks at the page', () => {
  vi.stubGlobal('requestAnimationFrame', () => 0)
  const work = vi.fn()
  afterPaint('text', work)
  vi.advanceTimersByTime(1000)
  expect(work).toHaveBeenCalledOnce()
  vi.unstubAllGlobals()
})
