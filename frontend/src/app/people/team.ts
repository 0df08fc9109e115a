/** What the pages of a team read, and the requests that change it. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { answered, api } from '../../api/client'
import { allPages } from '../../api/pages'
import type { Role } from '../../api/types'

export const ROLES: readonly Role[] = ['viewer', 'developer', 'reviewer', 'deployer', 'administrator']

export const people = queryOptions({
  queryKey: ['people'],
  queryFn: ({ signal }) =>
    allPages((cursor) => answered(api.GET('/api/people', { params: { query: { cursor } }, signal }))),
})

export const logins = queryOptions({
  queryKey: ['sessions'],
  queryFn: ({ signal }) =>
    allPages((cursor) => answered(api.GET('/api/sessions', { params: { query: { cursor } }, signal }))),
})

export const tokens = queryOptions({
  queryKey: ['tokens'],
  queryFn: ({ signal }) => answered(api.GET('/api/tokens', { signal })),
})

/** What of the record is asked for; an empty text asks for all. */
export interface RecordFilter {
  person: string
  application: string
  operation: string
  day: string
  /** Of what was asked for at this path, or below it. */
  path: string
}

/** A page of the record; at most `limit` entries, which the server has a limit of its own for. */
export function recordPage(filter: RecordFilter, cursor: string | null, limit: number, signal?: AbortSignal) {
  const wanted = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== ''))
  const query = { ...wanted, cursor, limit }
  return answered(api.GET('/api/audit', { params: { query }, ...(signal ? { signal } : {}) }))
}

export const record = (filter: RecordFilter) =>
  infiniteQueryOptions({
    queryKey: ['record', filter],
    queryFn: ({ pageParam, signal }) => recordPage(filter, pageParam, 50, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next,
  })

/** Where a person's role holds. */
export function placeOf(application: string | null): string {
  return application === null ? 'all applications' : application
}

/** Where a token holds: one application, or all in which its person has a role. */
export function reachOf(application: string | null): string {
  return application === null ? 'all of your applications' : application
}

const LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789'

/** A password that nobody can guess: four groups of five letters and figures that are not mistaken for another. */
export function firstPassword(): string {
  const groups = Array.from({ length: 4 }, () => Array.from({ length: 5 }, letter).join(''))
  return groups.join('-')
}

/** Each letter is as likely as any other: numbers beyond the last whole round of letters are drawn anew. */
function letter(): string {
  const [number = 255] = crypto.getRandomValues(new Uint8Array(1))
  return number < LETTERS.length * 8 ? LETTERS.charAt(number % LETTERS.length) : letter()
}
