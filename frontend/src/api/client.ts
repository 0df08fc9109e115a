/** The one way to the back end: typed calls that give the answer or throw an `ApiError`. */
import createClient from 'openapi-fetch'
import { fetchWithinRate } from './rate-limit'
import type { paths } from './schema'
import type { ApplicationFile, Diagnostic } from './types'

// `fetch` is looked up at each call, so that tests can answer in the server's place.
export const api = createClient<paths>({ baseUrl: location.origin, fetch: fetchWithinRate })

/** An answer that is not a success, in the words of the server. */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly help: string | null
  readonly diagnostics: readonly Diagnostic[]
  /** The server's present text, when a save meets a newer one. */
  readonly current: ApplicationFile | null
  /** The parameter whose value does not fit. */
  readonly parameter: string | null

  constructor(status: number, body: unknown) {
    const fields = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {}
    super(typeof fields['message'] === 'string' ? fields['message'] : `The server answered ${status}.`)
    this.status = status
    this.code = typeof fields['code'] === 'string' ? fields['code'] : 'unknown'
    this.help = typeof fields['help'] === 'string' ? fields['help'] : null
    this.diagnostics = Array.isArray(fields['diagnostics']) ? (fields['diagnostics'] as Diagnostic[]) : []
    this.current = isFile(fields['current']) ? fields['current'] : null
    this.parameter = typeof fields['parameter'] === 'string' ? fields['parameter'] : null
  }
}

/** The server cannot be reached at all. */
export class Unreachable extends Error {
  constructor() {
    super('The workbench’s server is not answering.')
  }
}

interface Answer<T> {
  data?: T
  error?: unknown
  response: Response
}

/** Unwraps a call of `api`. A proxy in front of a stopped server answers 502–504 without our body: also unreachable.
 *
 * `isAnswer` tells of the body of a refusal whether it is what was asked for nevertheless. */
export async function answered<T>(call: Promise<Answer<T>>, isAnswer?: (body: unknown) => body is T): Promise<T> {
  let answer: Answer<T>
  try {
    answer = await call
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error
    throw new Unreachable()
  }
  if (answer.response.ok) return answer.data as T
  if (isAnswer?.(answer.error)) return answer.error
  const isOurs = typeof answer.error === 'object' && answer.error !== null && 'code' in answer.error
  if (answer.response.status >= 500 && !isOurs) throw new Unreachable()
  throw new ApiError(answer.response.status, answer.error)
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function isFile(value: unknown): value is ApplicationFile {
  return typeof value === 'object' && value !== null && 'text' in value && 'revision' in value
}
