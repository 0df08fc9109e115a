/** Threads of comments as options for `useQuery`: read once, then what has changed since, whenever the pulse says so. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { type KnownThreads, withNews } from '../logic/threads'
import { answered, api } from './client'
import { allPages } from './pages'
import { ASK_AGAIN_MS, TOLD, unlessKnown } from './pulse'
import type { Thread } from './types'

const PAGE = 500
const NONE: KnownThreads<Thread> = { byNumber: new Map(), all: [], change: 0 }

/** All threads of an application, by their numbers. */
export const threads = (application: string) => {
  const queryKey = ['threads', application]
  return queryOptions({
    queryKey,
    queryFn: async ({ client, signal }): Promise<KnownThreads<Thread>> => {
      const known = client.getQueryData<KnownThreads<Thread>>(queryKey) ?? NONE
      const path = { application }
      return unlessKnown({ client, queryKey, of: path, kind: 'comments' }, async () => {
        const news = await allPages((cursor) =>
          answered(
            api.GET('/api/applications/{application}/threads', {
              params: { path, query: { after: known.change, cursor, limit: PAGE } },
              signal,
            }),
          ),
        )
        return withNews(known, news)
      })
    },
    meta: TOLD,
    enabled: application !== '',
    structuralSharing: false,
    refetchInterval: ASK_AGAIN_MS,
    refetchOnWindowFocus: 'always',
  })
}

/** What was said in a thread, the oldest first; `change` is that of the thread when it was read. */
export const threadComments = (application: string, { number, change }: Pick<Thread, 'number' | 'change'>) =>
  queryOptions({
    queryKey: ['thread-comments', application, number, change],
    queryFn: ({ signal }) =>
      allPages((cursor) =>
        answered(
          api.GET('/api/applications/{application}/threads/{number}/comments', {
            params: { path: { application, number }, query: { cursor, limit: PAGE } },
            signal,
          }),
        ),
      ),
    placeholderData: keepPreviousData,
    staleTime: Infinity,
  })
