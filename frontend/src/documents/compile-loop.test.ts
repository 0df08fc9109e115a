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
