/**
 * The one question that a page asks every few seconds: how the environment is, and which answers are out of date.
 *
 *     pulse  →  the version of the comments is another one  →  they are read again
 *
 * A query that is named here (`unlessKnown`) notes the version before it asks. While the pulse has the same, it takes what
 * it has, so that it may look again as often as it likes.
 */
import { hashKey, type QueryClient, type QueryKey, queryOptions } from '@tanstack/react-query'
import { ApiError, answered, api } from './client'
import { ENVIRONMENT, type EnvironmentName, keyOf } from './environment'
import type { Health, ServerHealth, Versions } from './types'

/** How late news of other people are seen. */
export const ASK_AGAIN_MS = 4000
const HIDDEN_MS = 15_000
const AWAY_MS = 1000
/** A pulse that was not asked for so long says nothing about what is out of date. */
const FORGOTTEN_MS = 25_000

/** The meta of a query that is asked again at once when a version changes; others look again by themselves. */
export const TOLD = { isTold: true }

/** `versions` is null where no application was asked about, or one that there is not. */
export interface Pulse {
  health: Health
  versions: Versions | null
}

export const pulse = (environment: EnvironmentName) =>
  queryOptions({
    queryKey: keyOf('pulse', environment),
    queryFn: ({ signal }) => askPulse(environment, signal),
    refetchInterval: ({ state }) =>
      state.status === 'error' ? AWAY_MS : document.visibilityState === 'hidden' ? HIDDEN_MS : ASK_AGAIN_MS,
    refetchIntervalInBackground: true,
    refetchOnWindowFocus: 'always',
    retry: false,
  })

/**
 * The health of the server and of the environment's store. Without an application in the address, or with an unknown one,
 * only the server is asked and `store` is null.
 */
export const health = (environment: EnvironmentName) =>
  queryOptions({ ...pulse(environment), select: ({ health: ofPulse }: Pulse) => ofPulse })

async function askPulse(environment: EnvironmentName, signal: AbortSignal): Promise<Pulse> {
  if (environment.application !== '') {
    try {
      return await answered(api.GET(`${ENVIRONMENT}/pulse`, { params: { path: environment }, signal }))
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 404)) throw error
    }
  }
  const server = await answered<ServerHealth>(api.GET('/api/health', { signal }), isHealth)
  return { health: { ...server, store: null }, versions: null }
}

/** A server whose disk is full says so with 503. */
function isHealth(body: unknown): body is ServerHealth {
  return typeof body === 'object' && body !== null && 'instance_id' in body
}

/** A query, and what its answer is of; an answer older than `oldestMs` is asked for again in any case. */
interface Asked {
  client: QueryClient
  queryKey: QueryKey
  /** Without an environment, the answer is of the whole application. */
  of: Partial<EnvironmentName> & { application: string }
  kind: keyof Versions
  oldestMs?: number
  /** Whether it is known here that the answer is out of date. */
  isOutdated?: boolean
}

interface Note {
  version: string
  at: number
}

/** Under which version each answer was asked for, and when. */
const notes = new WeakMap<QueryClient, Map<string, Note>>()

/** What a query has while the pulse says that it is not out of date; else what `ask` returns. */
export async function unlessKnown<Answer>(
  asked: Asked,
  ask: () => Promise<Answer>,
  versionIn?: (answer: Answer) => string,
): Promise<Answer> {
  const { client, queryKey, oldestMs = Infinity, isOutdated = false } = asked
  const state = client.getQueryState<Answer>(queryKey)
  const version = versionOf(asked)
  const noted = notesOf(client)
  const hash = hashKey(queryKey)
  const note = noted.get(hash)
  const isYoung = !isOutdated && note !== undefined && Date.now() - note.at < oldestMs
  const isWell = state?.status === 'success' && !state.isInvalidated && state.data !== undefined
  if (isWell && isYoung && version === note.version) return state.data as Answer
  const at = Date.now()
  const answer = await ask()
  noted.set(hash, { version: versionIn?.(answer) ?? version ?? '', at })
  return answer
}

/** The version that the pulse has now; undefined where there is no pulse, or one that is no longer asked for. */
function versionOf({ client, of, kind }: Asked): string | undefined {
  const key = of.environment === undefined ? [of.application] : [of.application, of.environment]
  const pulses = client.getQueryCache().findAll({ queryKey: ['pulse', ...key] })
  const newest = Math.max(...pulses.map(({ state }) => state.dataUpdatedAt))
  if (Date.now() - newest > FORGOTTEN_MS) return undefined
  const answer = pulses.find(({ state }) => state.dataUpdatedAt === newest)?.state.data as Pulse | undefined
  return answer?.versions?.[kind]
}

function notesOf(client: QueryClient): Map<string, Note> {
  const known = notes.get(client) ?? new Map<string, Note>()
  notes.set(client, known)
  return known
}
