// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { answerFirst, startCompiling, useCompilationState, useEarlyBounds } from './compile-loop'
import { useDocuments } from './documents'

const OLD = {
  queries: [
    { name: 'a', bound: 1 },
    { name: 'b', bound: 1 },
  ],
  diagnostics: [],
}
const NEW = {
  queries: [
    { name: 'a', bound: 2 },
    { name: 'b', bound: 2 },
  ],
  diagnostics: [],
}

let lines: ReadableStreamDefaultController<Uint8Array>
let asked: { first: string[] }[]
let stop: () => void

const send = (part: unknown) => lines.enqueue(new TextEncoder().encode(`${JSON.stringify(part)}\n`))

beforeEach(() => {
  asked = []
  vi.stubGlobal('fetch', async (request: Request) => {
    asked.push((await request.json()) as { first: string[] })
    return new Response(new ReadableStream<Uint8Array>({ start: (controller) => void (lines = controller) }))
  })
  useDocuments.setState({ application: 'shop', version: 1 })
  useCompilationState.setState({ application: 'shop', compilation: OLD as never, version: 0 })
  answerFirst(() => ['b'])
  stop = startCompiling()
})

afterEach(() => {
  stop()
  answerFirst(null)
  vi.unstubAllGlobals()
})

describe('an answer in parts', () => {
  it('leaves the compilation as it was until it is whole', async () => {
    await vi.waitFor(() => expect(asked.map(({ first }) => first)).toEqual([['b']]))
    send({ queries: [{ name: 'b', bound: 2 }] })
    await vi.waitFor(() => expect(useEarlyBounds.getState().get('b')).toEqual({ name: 'b', bound: 2 }))
    send({ queries: [{ name: 'a', bound: 2 }] })
    await vi.waitFor(() => expect([...useEarlyBounds.getState().keys()]).toEqual(['b', 'a']))
    expect(useCompilationState.getState()).toMatchObject({ compilation: OLD, version: 0 })
    send({ whole: NEW })
    await vi.waitFor(() => expect(useCompilationState.getState()).toMatchObject({ compilation: NEW, version: 1 }))
    expect(useEarlyBounds.getState().size).toBe(0)
  })

  it('forgets what was early of a text once a newer one is compiled', async () => {
    await vi.waitFor(() => expect(asked).toHaveLength(1))
    send({ queries: [{ name: 'b', bound: 2 }] })
    await vi.waitFor(() => expect(useEarlyBounds.getState().size).toBe(1))
    useDocuments.setState({ version: 2 })
    await vi.waitFor(() => expect(asked).toHaveLength(2))
    send({ whole: NEW })
    await vi.waitFor(() => expect(useCompilationState.getState().version).toBe(2))
    expect(useEarlyBounds.getState().size).toBe(0)
  })
})

describe('keys that come faster than answers', () => {
  it('are answered all the same, by and by', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    const answered: number[] = []
    const stopListening = useCompilationState.subscribe(({ version }) => answered.push(version))
    const ANSWER_MS = 120
    vi.stubGlobal('fetch', async (request: Request) => {
      await new Promise((resolve) => setTimeout(resolve, ANSWER_MS))
      if (request.signal.aborted) throw new DOMException('', 'AbortError')
      return new Response(`${JSON.stringify({ whole: NEW })}\n`)
    })
    for (let version = 2; version < 32; version += 1) {
      useDocuments.setState({ version })
      await vi.advanceTimersByTimeAsync(50)
    }
    expect(answered.length).toBeGreaterThan(2)
    await vi.advanceTimersByTimeAsync(1000)
    expect(useCompilationState.getState().version).toBe(31)
    stopListening()
    vi.useRealTimers()
  })

  it('do not wait for ever for an answer that does not come', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    let requests = 0
    vi.stubGlobal('fetch', async () => {
      requests += 1
      return requests === 1 ? new Promise(() => undefined) : new Response(`${JSON.stringify({ whole: NEW })}\n`)
    })
    useDocuments.setState({ version: 2 })
    await vi.advanceTimersByTimeAsync(1000)
    useDocuments.setState({ version: 3 })
    await vi.advanceTimersByTimeAsync(1000)
    expect(requests).toBe(1)
    await vi.advanceTimersByTimeAsync(5000)
    expect(useCompilationState.getState()).toMatchObject({ compilation: NEW, version: 3 })
    vi.useRealTimers()
  })
})
