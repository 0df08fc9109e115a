// @vitest-environment happy-dom
import { afterEach, describe, expect, it, vi } from 'vitest'
import { ApiError, Unreachable } from './client'
import { compileInParts } from './compiling'

const BODY = { files: [], stages_of: null, first: ['a'] }
const WHOLE = { whole: { queries: [{ name: 'a' }, { name: 'ü' }] } }

/** Lets the server answer with these bytes, in chunks of so many. */
function answers(text: string, chunk: number, status = 200): void {
  const bytes = new TextEncoder().encode(text)
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => {
      for (let at = 0; at < bytes.length; at += chunk) controller.enqueue(bytes.slice(at, at + chunk))
      controller.close()
    },
  })
  vi.stubGlobal('fetch', () => Promise.resolve(new Response(stream, { status })))
}

const linesOf = (...parts: unknown[]) => parts.map((part) => `${JSON.stringify(part)}\n`).join('')

async function compiled() {
  const early: string[] = []
  const whole = await compileInParts(BODY, new AbortController().signal, (queries) =>
    early.push(...queries.map((query) => query.name)),
  )
  return { early, whole: whole.queries.map((query) => query.name) }
}

afterEach(() => vi.unstubAllGlobals())

describe('a compilation in parts', () => {
  it.each([1, 7, 1000])('is read wherever its chunks of %i bytes end', async (chunk) => {
    answers(linesOf({ queries: [{ name: 'a' }] }, WHOLE), chunk)
    expect(await compiled()).toEqual({ early: ['a'], whole: ['a', 'ü'] })
  })

  it('may be whole at once', async () => {
    answers(linesOf(WHOLE), 1000)
    expect(await compiled()).toEqual({ early: [], whole: ['a', 'ü'] })
  })

  it('may be refused before a line and after one', async () => {
    const error = { code: 'text-too-costly', message: 'It takes too much.' }
    answers(JSON.stringify(error), 1000, 422)
    await expect(compiled()).rejects.toMatchObject({ status: 422, code: 'text-too-costly' })
    answers(linesOf({ queries: [] }, { refused: { status: 503, error } }), 1000)
    await expect(compiled()).rejects.toBeInstanceOf(ApiError)
  })

  it('is no answer where it ends before it is whole', async () => {
    answers(linesOf({ queries: [] }), 1000)
    await expect(compiled()).rejects.toBeInstanceOf(Unreachable)
  })
})
