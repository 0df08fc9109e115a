/** What the page of experiments reads from the server, as options for `useQuery`. */
import { queryOptions } from '@tanstack/react-query'
import { answered, api } from './client'
import { allPages } from './pages'
import { belowRoot } from './root'
import type { Experiment } from './types'

/** Whether an experiment has not ended yet. */
export function isUnderWay(experiment: Experiment): boolean {
  return experiment.state === 'running' || experiment.state === 'cancelling'
}

/** All experiments, in the order of the papers; asked again while one runs. */
export const experiments = queryOptions({
  queryKey: ['experiments'],
  queryFn: ({ signal }) => answered(api.GET('/api/experiments', { signal })),
  refetchInterval: (query) => (query.state.data?.some(isUnderWay) ? 1000 : false),
})

/** The stores on which one may run experiments. */
export const experimentStores = queryOptions({
  queryKey: ['experiment-stores'],
  queryFn: ({ signal }) =>
    allPages((cursor) => answered(api.GET('/api/experiments/stores', { params: { query: { cursor } }, signal }))),
})

/** The rows of an experiment's last run, which `endedAt` names. */
export const experimentResult = (name: string, endedAt: string) =>
  queryOptions({
    queryKey: ['experiment-result', name, endedAt],
    queryFn: ({ signal }) =>
      answered(api.GET('/api/experiments/{name}/result', { params: { path: { name } }, signal })),
    staleTime: Infinity,
    retry: false,
  })

/** The address of the figure or page of the last run; another one for another run, so that no old one is shown. */
export function fileOf(name: string, kind: 'figure' | 'page', endedAt: string): string {
  return belowRoot(`/api/experiments/${encodeURIComponent(name)}/${kind}?of=${encodeURIComponent(endedAt)}`)
}
