/**
 * The client of the back end. Every call goes through `api`, whose paths and bodies are typed by the generated schema,
 * and `answered`, which returns the body of the answer or throws:
 *
 *     const { files } = await answered(api.GET('/api/applications/{application}', { params: { path: { application } } }))
 */
import createClient from 'openapi-fetch'
import { loginsSoFar, noteRefusal } from './login-needed'
import { fetchWithinRate } from './rate-limit'
import { belowRoot } from './root'
import type { paths } from './schema'
import type { ApplicationFile, Diagnostic } from './types'

// `fetch` is looked up at each call, so that tests can answer in the server's place.
export const api = createClient<paths>({ baseUrl: location.origin + belowRoot(''), fetch: fetchWithinRate })

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

/**
 * The body of the answer to a call of `api`. Throws `ApiError` for a refusal, `Unreachable` without an answer, and the
 * browser's `AbortError` for a call that was aborted.
 *
 * A proxy in front of a stopped server answers 502 to 504 with a body of its own, so that counts as unreachable, too. A
 * body that `isAnswer` accepts is returned even if its status says failure.
 */
export async function answered<T>(call: Promise<Answer<T>>, isAnswer?: (body: unknown) => body is T): Promise<T> {
  const logins = loginsSoFar()
  let answer: Answer<T>
  try {
    answer = await call
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error
    throw new Unreachable()
  }
  if (answer.response.ok) return answer.data as T
  if (isAnswer?.(answer.error)) return answer.error
  const isFromServer = typeof answer.error === 'object' && answer.error !== null && 'code' in answer.error
  if (answer.response.status >= 500 && !isFromServer) throw new Unreachable()
  const refusal = new ApiError(answer.response.status, answer.error)
  noteRefusal(refusal.code, logins)
  throw refusal
}

/** Whether the server does not answer as it should; it does where it wants a login, or lacks the application. */
export function isAway(error: unknown): boolean {
  return error !== null && !isDeleted(error) && !(error instanceof ApiError && error.status === 401)
}

/** Whether an error says that there is no such application, or none any more. */
export function isDeleted(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'unknown-application'
}

/** The sentence to show for anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function isFile(value: unknown): value is ApplicationFile {
  return typeof value === 'object' && value !== null && 'text' in value && 'revision' in value
}
