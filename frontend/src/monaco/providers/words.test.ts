// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { CancellationToken } from '../monaco'
import { wordsOf } from './words'

const ANSWER = { types: ['keyword'], data: [0, 0, 6, 0, 0], folds: [{ start_line: 1, end_line: 2, kind: 'region' }] }

/** What the server was asked, as texts, and how each question is answered. */
const server = { asked: [] as string[], signals: [] as AbortSignal[], isDown: false, isSlow: false }

function filesOf(text: string) {
  return [
    { path: 'a.piql', text },
    { path: 'b.piql', text: '-- b' },
  ]
}

/** Somebody of Monaco who asks, and may leave. */
function asker() {
  let leave = () => {}
  const token = {
    isCancellationRequested: false,
    onCancellationRequested: (listener: () => void) => {
      leave = listener
      return { dispose: () => {} }
    },
  } as unknown as CancellationToken
  return { token, leave: () => leave() }
}

beforeEach(() => {
  Object.assign(server, { asked: [], signals: [], isDown: false, isSlow: false })
  vi.stubGlobal('fetch', async (request: Request) => {
    server.asked.push((await request.clone().json()).files[0].text)
    server.signals.push(request.signal)
    if (server.isDown) return new Response('{}', { status: 503 })
    if (server.isSlow)
      await new Promise((_, refuse) => request.signal.addEventListener('abort', () => refuse(new DOMException('x'))))
    return new Response(JSON.stringify(ANSWER), { headers: { 'content-type': 'application/json' } })
  })
})

afterEach(() => vi.unstubAllGlobals())

it('asks once for the colours and the folds of a text, and again when a text is another one', async () => {
  const words = (text: string) => wordsOf('a.piql', filesOf(text), asker().token)
  expect(await Promise.all([words('-- 1'), words('-- 1')])).toEqual([ANSWER, ANSWER])
  expect(await words('-- 1')).toEqual(ANSWER)
  expect(server.asked).toEqual(['-- 1'])
  await words('-- 2')
  await wordsOf('b.piql', filesOf('-- 2'), asker().token)
  expect(server.asked).toEqual(['-- 1', '-- 2', '-- 2'])
})

it('asks again after an answer that did not come', async () => {
  server.isDown = true
  expect(await wordsOf('a.piql', filesOf('-- down'), asker().token)).toBeNull()
  server.isDown = false
  expect(await wordsOf('a.piql', filesOf('-- down'), asker().token)).toEqual(ANSWER)
})

it('gives a question up once nobody waits for it, and not before', async () => {
  server.isSlow = true
  const [first, second] = [asker(), asker()]
  const answers = [first, second].map(({ token }) => wordsOf('a.piql', filesOf('-- slow'), token))
  await vi.waitFor(() => expect(server.signals).toHaveLength(1))
  first.leave()
  expect(server.signals[0]?.aborted).toBe(false)
  second.leave()
  expect(server.signals[0]?.aborted).toBe(true)
  expect(await Promise.all(answers)).toEqual([null, null])
  server.isSlow = false
  expect(await wordsOf('a.piql', filesOf('-- slow'), asker().token)).toEqual(ANSWER)
})
