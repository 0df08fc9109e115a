/** What the panels ask the server for, each with the key it is cached under. */
import { type InfiniteData, infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { isUnderWay } from '../logic/build'
import { answered, api } from './client'
import { allPages, type Page, pagesUntil } from './pages'
import { askPrediction } from './prediction-batch'
import type { Axis, Deployment, Health, ProfileRun, SloWrite, SourceFile } from './types'

export const health = queryOptions({
  queryKey: ['health'],
  queryFn: ({ signal }) => answered<Health>(api.GET('/api/health', { signal }), isHealth),
  refetchInterval: (query) => (query.state.status === 'error' ? 1000 : 4000),
  refetchIntervalInBackground: true,
  retry: false,
})

/** A server whose store does not answer says so with 503. */
function isHealth(body: unknown): body is Health {
  return typeof body === 'object' && body !== null && 'instance_id' in body
}

/** Looked at again while nobody could say which workspaces there are, or there were none. */
export const workspaces = queryOptions({
  queryKey: ['workspaces'],
  queryFn: ({ signal }) =>
    allPages((cursor) => answered(api.GET('/api/workspaces', { params: { query: { cursor } }, signal }))),
  refetchInterval: (query) => (query.state.data?.length ? false : 2000),
})

export function isActive(run: ProfileRun): boolean {
  return run.state === 'queued' || run.state === 'starting' || run.state === 'running' || run.state === 'cancelling'
}

export const profileRuns = queryOptions({
  queryKey: ['profile-runs'],
  queryFn: ({ signal }) =>
    allPages((cursor) => answered(api.GET('/api/profile-runs', { params: { query: { cursor } }, signal }))),
  // Whoever shows predictions wants to know when a run has ended; the panel of the runs hears more by events.
  refetchInterval: (query) => (query.state.data?.some(isActive) ? 2000 : false),
})

/** The newest versions, always with the live one; `fetchNextPage` brings earlier ones. */
export const deployments = infiniteQueryOptions({
  queryKey: ['deployments'],
  queryFn: ({ signal, pageParam }) =>
    pagesUntil(
      pageParam === null ? hasLive : isAny,
      (cursor) => answered(api.GET('/api/deployments', { params: { query: { cursor } }, signal })),
      pageParam,
    ),
  initialPageParam: null as string | null,
  getNextPageParam: (page) => page.next,
  select: versionsOf,
})

function hasLive(versions: readonly Deployment[]): boolean {
  return versions.some((version) => version.is_live)
}

function isAny(): boolean {
  return true
}

function versionsOf({ pages }: InfiniteData<Page<Deployment>>): Deployment[] {
  return pages.flatMap(({ items }) => items)
}

export const deployment = (id: string) =>
  queryOptions({
    queryKey: ['deployments', id],
    queryFn: ({ signal }) =>
      answered(api.GET('/api/deployments/{deployment_id}', { params: { path: { deployment_id: id } }, signal })),
    retry: false,
  })

/** The version on its way, or how the last one ended; looked at often while it is not paused. */
export const build = queryOptions({
  queryKey: ['deployments', 'build'],
  queryFn: ({ signal }) => answered(api.GET('/api/deployments/builds/latest', { signal })),
  refetchInterval: (query) =>
    query.state.data && isUnderWay(query.state.data) ? (query.state.data.is_paused ? 3000 : 400) : false,
})

/** `runId` is the profile run that saved SLOs are held against. */
export const preview = (version: number, workspace: string, files: () => SourceFile[], runId: string | null = null) =>
  queryOptions({
    queryKey: ['deployments', 'preview', workspace, version, runId],
    queryFn: ({ signal }) =>
      answered(
        api.POST('/api/deployments/preview', {
          body: { files: files(), workspace_id: workspace, run_id: runId },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
    gcTime: 10_000,
  })

/** What rolling back would change; asked when the reader asks. */
export const rollbackPreview = queryOptions({
  queryKey: ['deployments', 'rollback'],
  queryFn: ({ signal }) => answered(api.GET('/api/deployments/rollback/preview', { signal })),
  retry: false,
  gcTime: 0,
})

export const slos = queryOptions({
  queryKey: ['slos'],
  queryFn: ({ signal }) =>
    allPages((cursor) => answered(api.GET('/api/slos', { params: { query: { cursor } }, signal }))),
})

export const latency = (deploymentId: string, windowSeconds: number) =>
  queryOptions({
    queryKey: ['latency', deploymentId, windowSeconds],
    queryFn: ({ signal }) =>
      answered(
        api.GET('/api/latency/{deployment_id}', {
          params: { path: { deployment_id: deploymentId }, query: { window_seconds: windowSeconds } },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
    refetchInterval: 3000,
  })

export const sampleParameters = (deploymentId: string, name: string) =>
  queryOptions({
    queryKey: ['sample-parameters', deploymentId, name],
    queryFn: ({ signal }) =>
      answered(
        api.GET('/api/deployments/{deployment_id}/queries/{name}/sample-parameters', {
          params: { path: { deployment_id: deploymentId, name } },
          signal,
        }),
      ),
    staleTime: Infinity,
    retry: false,
  })

/** A prediction of one query, or why there is none; `plan` stands for everything in the files that it depends on. */
export const prediction = (plan: string, files: () => SourceFile[], query: string, runId: string, slo: SloWrite) =>
  queryOptions({
    queryKey: ['prediction', query, runId, slo, plan],
    queryFn: () => askPrediction({ files, query, runId, slo }),
    staleTime: 300_000,
    gcTime: 60_000,
    retry: false,
  })

/** A page of several queries: `a, b | c`. */
export const pagePrediction = (plans: string, files: () => SourceFile[], page: string, runId: string, slo: SloWrite) =>
  queryOptions({
    queryKey: ['page-prediction', page, runId, slo, plans],
    queryFn: ({ signal }) =>
      answered(api.POST('/api/page-predictions', { body: { files: files(), page, run_id: runId, slo }, signal })),
    placeholderData: keepPreviousData,
    staleTime: 300_000,
    retry: false,
  })

export interface AxisRequest {
  symbol: Axis['symbol']
  values: number[]
}

export interface HeatmapRequest {
  query: string
  runId: string
  x: AxisRequest
  /** null along one limit. */
  y: AxisRequest | null
  slo: SloWrite
  /** Where further limits are put. */
  values: Record<string, number>
}

export const heatmap = (plan: string, files: () => SourceFile[], request: HeatmapRequest) =>
  queryOptions({
    queryKey: ['heatmap', request, plan],
    queryFn: ({ signal }) => {
      const { runId, ...asked } = request
      return answered(api.POST('/api/heatmaps', { body: { files: files(), run_id: runId, ...asked }, signal }))
    },
    placeholderData: keepPreviousData,
    staleTime: 300_000,
    retry: false,
  })

/** The largest value of every limit in the files; `plans` stands for what it depends on. */
export const safeLimits = (
  plans: string,
  files: () => SourceFile[],
  runId: string,
  slo: SloWrite,
  sloByQuery: Record<string, SloWrite>,
) =>
  queryOptions({
    queryKey: ['safe-limits', runId, slo, sloByQuery, plans],
    queryFn: ({ signal }) =>
      answered(
        api.POST('/api/safe-limits', { body: { files: files(), run_id: runId, slo, slos: sloByQuery }, signal }),
      ),
    placeholderData: keepPreviousData,
    staleTime: 300_000,
    retry: false,
  })

export const burst = (id: string) =>
  queryOptions({
    queryKey: ['bursts', id],
    queryFn: ({ signal }) =>
      answered(api.GET('/api/bursts/{burst_id}', { params: { path: { burst_id: id } }, signal })),
    refetchInterval: (query) => (query.state.data?.state === 'running' ? 400 : false),
  })
