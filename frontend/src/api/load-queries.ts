/** What the pages of load runs read from the server, as options for `useQuery`. */
import { queryOptions } from '@tanstack/react-query'
import { answered, api } from './client'
import { ENVIRONMENT, type EnvironmentName, keyOf } from './environment'
import { allPages } from './pages'
import type { LoadRun } from './types'

/** Whether a load run has not ended yet. */
export function isCalling(run: LoadRun): boolean {
  return run.state === 'starting' || run.state === 'running' || run.state === 'cancelling'
}

/** All load runs of an environment, the newest first; a command elsewhere may report one at any time. */
export const loadRuns = (environment: EnvironmentName) =>
  queryOptions({
    queryKey: keyOf('load-runs', environment),
    queryFn: ({ signal }) =>
      allPages((cursor) =>
        answered(api.GET(`${ENVIRONMENT}/load-runs`, { params: { path: environment, query: { cursor } }, signal })),
      ),
    refetchInterval: (query) => (query.state.data?.some(isCalling) ? 2000 : 10_000),
  })

/** One load run; the page also listens to its events. */
export const loadRun = (environment: EnvironmentName, id: string) =>
  queryOptions({
    queryKey: keyOf('load-run', environment, id),
    queryFn: ({ signal }) =>
      answered(
        api.GET(`${ENVIRONMENT}/load-runs/{run_id}`, { params: { path: { ...environment, run_id: id } }, signal }),
      ),
    refetchInterval: (query) => (query.state.data && isCalling(query.state.data) ? 3000 : false),
    retry: false,
  })

/** What came of a load run that has a result; it never changes. */
export const loadResult = (environment: EnvironmentName, id: string) =>
  queryOptions({
    queryKey: keyOf('load-result', environment, id),
    queryFn: ({ signal }) =>
      answered(
        api.GET(`${ENVIRONMENT}/load-runs/{run_id}/result`, {
          params: { path: { ...environment, run_id: id } },
          signal,
        }),
      ),
    staleTime: Infinity,
    retry: false,
  })

/** A load run beside an earlier one. */
export const loadComparison = (environment: EnvironmentName, first: string, second: string) =>
  queryOptions({
    queryKey: keyOf('load-comparison', environment, first, second),
    queryFn: ({ signal }) =>
      answered(
        api.GET(`${ENVIRONMENT}/load-runs/{run_id}/comparisons/{other_id}`, {
          params: { path: { ...environment, run_id: first, other_id: second } },
          signal,
        }),
      ),
    staleTime: Infinity,
    retry: false,
  })

/** Why whoever asks may start no load run here, and the mixes of the samples that fit. */
export const loadOptions = (environment: EnvironmentName) =>
  queryOptions({
    queryKey: keyOf('load-options', environment),
    queryFn: ({ signal }) =>
      answered(api.GET(`${ENVIRONMENT}/load-runs/options`, { params: { path: environment }, signal })),
    retry: false,
  })
