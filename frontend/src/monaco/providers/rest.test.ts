// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { openApplication, setText } from '../../documents/documents'
import type { editor } from '../monaco'
import { atRest } from './rest'

const PATH = 'a.piql'
let version = 0

const model = {
  uri: { path: `/${PATH}`, scheme: 'piql' },
  getVersionId: () => version,
  isDisposed: () => false,
} as unknown as editor.ITextModel

/** As Monaco does: the text changes, and a question is asked a while after. */
function type(): void {
  version += 1
  setText(PATH, `-- ${version}`)
}

beforeEach(() => {
  vi.useFakeTimers()
  openApplication(`application of version ${version}`, [{ path: PATH, text: '', revision: '1' }])
})

afterEach(() => vi.useRealTimers())

it('asks about a text that nobody types at once', async () => {
  vi.advanceTimersByTime(10_000)
  expect(await atRest(model)).toBe(true)
})

it('waits until nobody types', async () => {
  type()
  const answer = vi.fn()
  void atRest(model).then(answer)
  await vi.advanceTimersByTimeAsync(300)
  expect(answer).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(200)
  expect(answer).toHaveBeenCalledWith(true)
})

it('asks nothing about a text that has changed meanwhile, and does not wait for ever', async () => {
  const answers: boolean[] = []
  for (let key = 0; key < 16; key += 1) {
    type()
    void atRest(model).then((answer) => answers.push(answer))
    await vi.advanceTimersByTimeAsync(250)
  }
  await vi.advanceTimersByTimeAsync(1000)
  expect(answers.slice(0, 11)).toEqual(Array.from({ length: 11 }, () => false))
  expect(answers.slice(11, 15)).toContain(true)
  expect(answers.at(-1)).toBe(true)
})
