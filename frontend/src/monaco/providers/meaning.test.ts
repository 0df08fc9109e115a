// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Compilation } from '../../api/types'
import { useCompilationState } from '../../documents/compile-loop'
import type { CancellationToken } from '../monaco'
import { onMeaning } from './meaning'
import { wordsOf } from './words'

const SHOWN = 'a.piql'
const TOKEN = { onCancellationRequested: () => ({ dispose: () => {} }) } as unknown as CancellationToken
const listener = vi.fn()
let stop = () => {}

function filesOf(text: string) {
  return [
    { path: SHOWN, text: '-- a' },
    { path: 'b.piql', text },
  ]
}

const compile = (text: string) => useCompilationState.setState({ compilation: {} as Compilation, files: filesOf(text) })

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('fetch', async () => new Response('{}', { headers: { 'content-type': 'application/json' } }))
  listener.mockClear()
  stop = onMeaning(() => [SHOWN], listener)
})

afterEach(() => {
  stop()
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

it('asks once for the words after keys that follow each other', () => {
  for (const key of ['1', '12', '123', '1234']) {
    compile(`-- ${key}`)
    vi.advanceTimersByTime(200)
  }
  expect(listener).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1000)
  expect(listener).toHaveBeenCalledOnce()
})

it('asks for nothing where the words of these texts were asked for meanwhile', async () => {
  compile('-- asked')
  await wordsOf(SHOWN, filesOf('-- asked'), TOKEN)
  vi.advanceTimersByTime(1000)
  expect(listener).not.toHaveBeenCalled()
})

it('asks nobody who has left', () => {
  compile('-- left')
  stop()
  vi.advanceTimersByTime(1000)
  expect(listener).not.toHaveBeenCalled()
})
