/**
 * Asks for a compilation, whose answer comes in lines: the queries that somebody looks at may be there before the rest.
 *
 *     {"queries": […]}        at most one such line, where many queries are compiled again
 *     {"whole": {…}}          or {"refused": {…}}
 */
import { ApiError, answered, api, Unreachable } from './client'
import type { Compilation, CompilationInParts, CompilationPart, Query } from './types'

/** The compilation; `onQueries` gets what is known early. Throws as `answered` does. */
export async function compileInParts(
  body: CompilationInParts,
  signal: AbortSignal,
  onQueries: (queries: readonly Query[]) => void,
): Promise<Compilation> {
  const stream = await answered(api.POST('/api/compilations/parts', { body, signal, parseAs: 'stream' }))
  if (stream)
    for await (const line of linesOf(stream)) {
      const { queries, whole, refused } = JSON.parse(line) as CompilationPart
      if (whole) return whole
      if (refused) throw new ApiError(refused.status, refused.error)
      if (queries) onQueries(queries)
    }
  throw new Unreachable()
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = stream.getReader()
  const decoder = new TextDecoder()
  let begun: string[] = [] // pieces of a line that has not ended
  for (;;) {
    const { done, value } = await chunkOf(reader)
    if (done) return
    const [first = '', ...more] = decoder.decode(value, { stream: true }).split('\n')
    begun.push(first)
    for (const next of more) {
      yield begun.join('')
      begun = [next]
    }
  }
}

/** A connection that breaks is no answer; a call that was aborted stays one. */
async function chunkOf(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<ReadableStreamReadResult<Uint8Array>> {
  try {
    return await reader.read()
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error
    throw new Unreachable()
  }
}
