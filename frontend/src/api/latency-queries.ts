/** What the dashboard reads of latencies, as options for `useQuery` (see `queries.ts`). */
import { queryOptions } from '@tanstack/react-query'
import { answered, api } from './client'
import { ENVIRONMENT, type EnvironmentName, keyOf } from './environment'
import { ASK_AGAIN_MS, unlessKnown } from './pulse'
import { SLIDES_MS } from './queries'
import type { Latency } from './types'

/** Predicted and observed latency of each query of a version, over a window that ends now. */
export const latency = (
  environment: EnvironmentName,
  deploymentId: string,
  windowSeconds: number,
  source: Latency['source'],
) =>
  queryOptions({
    queryKey: keyOf('latency', environment, deploymentId, windowSeconds, source),
    queryFn: ({ client, queryKey, signal }) =>
      unlessKnown({ client, queryKey, of: environment, kind: 'observed', oldestMs: SLIDES_MS }, () =>
        answered(
          api.GET(`${ENVIRONMENT}/latency/{deployment_id}`, {
            params: {
              path: { ...environment, deployment_id: deploymentId },
              query: { window_seconds: windowSeconds, source },
            },
            signal,
          }),
        ),
      ),
    // The last answer stays until the next one is there, but never that of another version.
    placeholderData: (previous) => (previous?.deployment_id === deploymentId ? previous : undefined),
    refetchInterval: ASK_AGAIN_MS,
  })

/** Quantiles of one query over time, and how often each latency was seen, over a window that ends now. */
export const latencyCharts = (
  environment: EnvironmentName,
  deploymentId: string,
  query: string,
  windowSeconds: number,
  source: Latency['source'],
) =>
  queryOptions({
    queryKey: keyOf('latency-charts', environment, deploymentId, query, windowSeconds, source),
    queryFn: ({ client, queryKey, signal }) =>
      unlessKnown({ client, queryKey, of: environment, kind: 'observed', oldestMs: SLIDES_MS }, () =>
        answered(
          api.GET(`${ENVIRONMENT}/latency/{deployment_id}/charts/{query}`, {
            params: {
              path: { ...environment, deployment_id: deploymentId, query },
              query: { window_seconds: windowSeconds, source },
            },
            signal,
          }),
        ),
      ),
    refetchInterval: ASK_AGAIN_MS,
  })

/** Whether the last hours of a query are unlike its own past; it changes with the hour. */
export const unusual = (environment: EnvironmentName, deploymentId: string, query: string, source: Latency['source']) =>
  queryOptions({
    queryKey: keyOf('unusual', environment, deploymentId, query, source),
    queryFn: ({ signal }) =>
      answered(
        api.GET(`${ENVIRONMENT}/latency/{deployment_id}/unusual/{query}`, {
          params: { path: { ...environment, deployment_id: deploymentId, query }, query: { source } },
          signal,
        }),
      ),
    staleTime: 60_000,
    refetchInterval: 60_000,
  })

/** The p99 of a query over the load of the last weeks; it changes with the hour. */
export const overLoad = (
  environment: EnvironmentName,
  deploymentId: string,
  query: string,
  source: Latency['source'],
) =>
  queryOptions({
    queryKey: keyOf('over-load', environment, deploymentId, query, source),
    queryFn: ({ signal }) =>
      answered(
        api.GET(`${ENVIRONMENT}/latency/{deployment_id}/load/{query}`, {
          params: { path: { ...environment, deployment_id: deploymentId, query }, query: { source } },
          signal,
        }),
      ),
    staleTime: 300_000,
    refetchInterval: 300_000,
  })

/** The p99 of a query over the size of what it read, over a window that ends now. */
export const overSize = (
  environment: EnvironmentName,
  deploymentId: string,
  query: string,
  windowSeconds: number,
  source: Latency['source'],
) =>
  queryOptions({
    queryKey: keyOf('over-size', environment, deploymentId, query, windowSeconds, source),
    queryFn: ({ client, queryKey, signal }) =>
      unlessKnown({ client, queryKey, of: environment, kind: 'observed', oldestMs: SLIDES_MS }, () =>
        answered(
          api.GET(`${ENVIRONMENT}/latency/{deployment_id}/size/{query}`, {
            params: {
              path: { ...environment, deployment_id: deploymentId, query },
              query: { window_seconds: windowSeconds, source },
            },
            signal,
          }),
        ),
      ),
    refetchInterval: ASK_AGAIN_MS,
  })

/** Which queries of a version are unlike their own past; looked at once an hour, and soon after it is asked first. */
export const allUnusual = (environment: EnvironmentName, deploymentId: string, source: Latency['source']) =>
  queryOptions({
    queryKey: keyOf('unusual', environment, deploymentId, source),
    queryFn: ({ signal }) =>
      answered(
        api.GET(`${ENVIRONMENT}/latency/{deployment_id}/unusual`, {
          params: { path: { ...environment, deployment_id: deploymentId }, query: { source } },
          signal,
        }),
      ),
    refetchInterval: (query) => (query.state.data?.until ? 60_000 : 5000),
  })
