/**
 * Asks for a compilation, whose answer comes in lines: the bounds that somebody looks at may be there before the rest.
 *
 *     {"queries": […]}        a line of those in sight and one of all others, where many queries are compiled again
 *     {"whole": {…}}          or {"refused": {…}}
 */
import { ApiError, answered, api, Unreachable } from './client'
import type { BoundedQuery, Compilation, CompilationInParts, CompilationPart } from './types'

/** The compilation; `onBounds` gets what is known early. Throws as `answered` does. */
export async function compileInParts(
  body: CompilationInParts,
  signal: AbortSignal,
  onBounds: (queries: readonly BoundedQuery[]) => void,
): Promise<Compilation> {
  const stream = await answered(api.POST('/api/compilations/parts', { body, signal, parseAs: 'stream' }))
  if (stream)
    for await (const line of linesOf(stream)) {
      const { queries, whole, refused } = JSON.parse(line) as CompilationPart
      if (whole) return whole
      if (refused) throw new ApiError(refused.status, refused.error)
      if (queries) onBounds(queries)
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
