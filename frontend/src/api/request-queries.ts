/** What the pages of deploy requests read from the server, as options for `useQuery`. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { answered, api } from './client'
import { ENVIRONMENT, type EnvironmentName, keyOf } from './environment'
import { allPages } from './pages'

/** The deploy requests that are open. */
export const openRequests = (environment: EnvironmentName) =>
  queryOptions({
    queryKey: keyOf('deploy-requests', environment, 'open'),
    queryFn: ({ signal }) =>
      allPages((cursor) =>
        answered(
          api.GET(`${ENVIRONMENT}/deploy-requests`, {
            params: { path: environment, query: { cursor, state: 'open' } },
            signal,
          }),
        ),
      ),
    refetchInterval: 5000,
  })

/** The deploy requests that are over, the newest first, page by page. */
export const closedRequests = (environment: EnvironmentName) =>
  infiniteQueryOptions({
    queryKey: keyOf('deploy-requests', environment, 'closed'),
    queryFn: ({ signal, pageParam }) =>
      answered(
        api.GET(`${ENVIRONMENT}/deploy-requests`, {
          params: { path: environment, query: { cursor: pageParam, state: 'closed' } },
          signal,
        }),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next,
    select: ({ pages }) => pages.flatMap(({ items }) => items),
  })

/** One deploy request with all that is known of it; read often while it is being deployed. */
export const deployRequest = (environment: EnvironmentName, number: number) =>
  queryOptions({
    queryKey: keyOf('deploy-requests', environment, number),
    queryFn: ({ signal }) =>
      answered(
        api.GET(`${ENVIRONMENT}/deploy-requests/{number}`, { params: { path: { ...environment, number } }, signal }),
      ),
    refetchInterval: (query) => (query.state.data?.status === 'deploying' ? 1000 : 5000),
    retry: false,
  })

/** The version that is tried on a share of the executions, null where none is. */
export const canary = (environment: EnvironmentName) =>
  queryOptions({
    queryKey: keyOf('canary', environment),
    queryFn: ({ signal }) => answered(api.GET(`${ENVIRONMENT}/canary`, { params: { path: environment }, signal })),
    refetchInterval: 2000,
  })

/** What was said about a deploy request, the oldest first. */
export const requestComments = (environment: EnvironmentName, number: number) =>
  queryOptions({
    queryKey: keyOf('deploy-requests', environment, number, 'comments'),
    queryFn: ({ signal }) =>
      allPages((cursor) =>
        answered(
          api.GET(`${ENVIRONMENT}/deploy-requests/{number}/comments`, {
            params: { path: { ...environment, number }, query: { cursor } },
            signal,
          }),
        ),
      ),
    refetchInterval: 5000,
  })

/** What the environment asks of deploy requests, and whether it takes deployments without one. */
export const deployRules = (environment: EnvironmentName) =>
  queryOptions({
    queryKey: keyOf('deploy-requests', environment, 'rules'),
    queryFn: ({ signal }) =>
      answered(api.GET(`${ENVIRONMENT}/deploy-requests/rules`, { params: { path: environment }, signal })),
    retry: false,
  })
