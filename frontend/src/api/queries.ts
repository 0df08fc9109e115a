/** What the panels ask the server for, each with the key it is cached under. */
import { type InfiniteData, infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { isUnderWay } from '../logic/build'
import { ApiError, answered, api } from './client'
import { ENVIRONMENT, type EnvironmentName, keyOf } from './environment'
import { allPages, type Page, pagesUntil } from './pages'
import { askPrediction } from './prediction-batch'
import type {
  Axis,
  Deployment,
  EnvironmentHealth,
  Health,
  ProfileRun,
  ServerHealth,
  SloWrite,
  SourceFile,
} from './types'

/** Of an environment, or of the server alone where the address names none that there is: then there is no store. */
export const health = (environment: EnvironmentName) =>
  queryOptions({
    queryKey: keyOf('health', environment),
    queryFn: ({ signal }) => askHealth(environment, signal),
    refetchInterval: (query) => (query.state.status === 'error' ? 1000 : 4000),
    refetchIntervalInBackground: true,
    retry: false,
  })

async function askHealth(environment: EnvironmentName, signal: AbortSignal): Promise<Health> {
  if (environment.application !== '') {
    try {
      const path = { params: { path: environment }, signal }
      return await answered<EnvironmentHealth>(api.GET(`${ENVIRONMENT}/health`, path), isHealth)
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 404)) throw error
    }
  }
  const server = await answered<ServerHealth>(api.GET('/api/health', { signal }), isHealth)
  return { ...server, store: null }
}

/** A server whose store does not answer says so with 503. */
function isHealth<T extends ServerHealth>(body: unknown): body is T {
  return typeof body === 'object' && body !== null && 'instance_id' in body
}

/** Looked at again while nobody could say which applications there are, or there were none. */
export const applications = queryOptions({
  queryKey: ['applications'],
  queryFn: ({ signal }) =>
    allPages((cursor) => answered(api.GET('/api/applications', { params: { query: { cursor } }, signal }))),
  refetchInterval: (query) => (query.state.data?.length ? false : 2000),
})

export function isActive(run: ProfileRun): boolean {
  return run.state === 'queued' || run.state === 'starting' || run.state === 'running' || run.state === 'cancelling'
}

export const profileRuns = (environment: EnvironmentName) =>
  queryOptions({
    queryKey: keyOf('profile-runs', environment),
    queryFn: ({ signal }) =>
      allPages((cursor) =>
        answered(api.GET(`${ENVIRONMENT}/profile-runs`, { params: { path: environment, query: { cursor } }, signal })),
      ),
    // Whoever shows predictions wants to know when a run has ended; the panel of the runs hears more by events.
    refetchInterval: (query) => (query.state.data?.some(isActive) ? 2000 : false),
  })

/** The newest versions, always with the live one; `fetchNextPage` brings earlier ones. */
export const deployments = (environment: EnvironmentName) =>
  infiniteQueryOptions({
    queryKey: keyOf('deployments', environment),
    queryFn: ({ signal, pageParam }) =>
      pagesUntil(
        pageParam === null ? hasLive : isAny,
        (cursor) =>
          answered(api.GET(`${ENVIRONMENT}/deployments`, { params: { path: environment, query: { cursor } }, signal })),
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

export const deployment = (environment: EnvironmentName, id: string) =>
  queryOptions({
    queryKey: keyOf('deployments', environment, id),
    queryFn: ({ signal }) =>
      answered(
        api.GET(`${ENVIRONMENT}/deployments/{deployment_id}`, {
          params: { path: { ...environment, deployment_id: id } },
          signal,
        }),
      ),
    retry: false,
  })

/** The version on its way, or how the last one ended; looked at often while it is not paused. */
export const build = (environment: EnvironmentName) =>
  queryOptions({
    queryKey: keyOf('deployments', environment, 'build'),
    queryFn: ({ signal }) =>
      answered(api.GET(`${ENVIRONMENT}/deployments/builds/latest`, { params: { path: environment }, signal })),
    refetchInterval: (query) =>
      query.state.data && isUnderWay(query.state.data) ? (query.state.data.is_paused ? 3000 : 400) : false,
  })

/** `runId` is the profile run that saved SLOs are held against. */
export const preview = (
  environment: EnvironmentName,
  version: number,
  files: () => SourceFile[],
  runId: string | null = null,
) =>
  queryOptions({
    queryKey: keyOf('deployments', environment, 'preview', version, runId),
    queryFn: ({ signal }) =>
      answered(
        api.POST(`${ENVIRONMENT}/deployments/preview`, {
          params: { path: environment },
          body: { files: files(), run_id: runId },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
    gcTime: 10_000,
  })

/** What rolling back would change; asked when the reader asks. */
export const rollbackPreview = (environment: EnvironmentName) =>
  queryOptions({
    queryKey: keyOf('deployments', environment, 'rollback'),
    queryFn: ({ signal }) =>
      answered(api.GET(`${ENVIRONMENT}/deployments/rollback/preview`, { params: { path: environment }, signal })),
    retry: false,
    gcTime: 0,
  })

export const slos = (environment: EnvironmentName) =>
  queryOptions({
    queryKey: keyOf('slos', environment),
    queryFn: ({ signal }) =>
      allPages((cursor) =>
        answered(api.GET(`${ENVIRONMENT}/slos`, { params: { path: environment, query: { cursor } }, signal })),
      ),
  })

export const latency = (environment: EnvironmentName, deploymentId: string, windowSeconds: number) =>
  queryOptions({
    queryKey: keyOf('latency', environment, deploymentId, windowSeconds),
    queryFn: ({ signal }) =>
      answered(
        api.GET(`${ENVIRONMENT}/latency/{deployment_id}`, {
          params: { path: { ...environment, deployment_id: deploymentId }, query: { window_seconds: windowSeconds } },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
    refetchInterval: 3000,
  })

export const sampleParameters = (environment: EnvironmentName, deploymentId: string, name: string) =>
  queryOptions({
    queryKey: keyOf('sample-parameters', environment, deploymentId, name),
    queryFn: ({ signal }) =>
      answered(
        api.GET(`${ENVIRONMENT}/deployments/{deployment_id}/queries/{name}/sample-parameters`, {
          params: { path: { ...environment, deployment_id: deploymentId, name } },
          signal,
        }),
      ),
    staleTime: Infinity,
    retry: false,
  })

/** A prediction of one query, or why there is none; `plan` stands for everything in the files that it depends on. */
export const prediction = (
  environment: EnvironmentName,
  plan: string,
  files: () => SourceFile[],
  query: string,
  runId: string,
  slo: SloWrite,
) =>
  queryOptions({
    queryKey: keyOf('prediction', environment, query, runId, slo, plan),
    queryFn: () => askPrediction({ environment, files, query, runId, slo }),
    staleTime: 300_000,
    gcTime: 60_000,
    retry: false,
  })

/** A page of several queries: `a, b | c`. */
export const pagePrediction = (
  environment: EnvironmentName,
  plans: string,
  files: () => SourceFile[],
  page: string,
  runId: string,
  slo: SloWrite,
) =>
  queryOptions({
    queryKey: keyOf('page-prediction', environment, page, runId, slo, plans),
    queryFn: ({ signal }) =>
      answered(
        api.POST(`${ENVIRONMENT}/page-predictions`, {
          params: { path: environment },
          body: { files: files(), page, run_id: runId, slo },
          signal,
        }),
      ),
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

export const heatmap = (
  environment: EnvironmentName,
  plan: string,
  files: () => SourceFile[],
  request: HeatmapRequest,
) =>
  queryOptions({
    queryKey: keyOf('heatmap', environment, request, plan),
    queryFn: ({ signal }) => {
      const { runId, ...asked } = request
      return answered(
        api.POST(`${ENVIRONMENT}/heatmaps`, {
          params: { path: environment },
          body: { files: files(), run_id: runId, ...asked },
          signal,
        }),
      )
    },
    placeholderData: keepPreviousData,
    staleTime: 300_000,
    retry: false,
  })

/** The largest value of every limit in the files; `plans` stands for what it depends on. */
export const safeLimits = (
  environment: EnvironmentName,
  plans: string,
  files: () => SourceFile[],
  runId: string,
  slo: SloWrite,
  sloByQuery: Record<string, SloWrite>,
) =>
  queryOptions({
    queryKey: keyOf('safe-limits', environment, runId, slo, sloByQuery, plans),
    queryFn: ({ signal }) =>
      answered(
        api.POST(`${ENVIRONMENT}/safe-limits`, {
          params: { path: environment },
          body: { files: files(), run_id: runId, slo, slos: sloByQuery },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
    staleTime: 300_000,
    retry: false,
  })

export const burst = (environment: EnvironmentName, id: string) =>
  queryOptions({
    queryKey: keyOf('bursts', environment, id),
    queryFn: ({ signal }) =>
      answered(
        api.GET(`${ENVIRONMENT}/bursts/{burst_id}`, { params: { path: { ...environment, burst_id: id } }, signal }),
      ),
    refetchInterval: (query) => (query.state.data?.state === 'running' ? 400 : false),
  })

/** The saves of an application, the newest first; with a path those that changed this file. Asked anew after each save. */
export const saves = (application: string, path: string | null, revisions: string) =>
  infiniteQueryOptions({
    queryKey: ['saves', application, path, revisions],
    placeholderData: keepPreviousData,
    queryFn: ({ signal, pageParam: cursor }) =>
      answered(
        api.GET('/api/applications/{application}/saves', {
          params: { path: { application }, query: { cursor, path, limit: 50 } },
          signal,
        }),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next,
    select: ({ pages }) => pages.flatMap(({ items }) => items),
  })

/** A save never changes. */
export const save = (application: string, number: number) =>
  queryOptions({
    queryKey: ['saves', application, 'texts', number],
    queryFn: ({ signal }) =>
      answered(
        api.GET('/api/applications/{application}/saves/{number}', {
          params: { path: { application, number } },
          signal,
        }),
      ),
    staleTime: Infinity,
    gcTime: 60_000,
    retry: false,
  })

/** What the compiler says of texts that are not those in the editor; stages are left out. */
export const compilationOf = (key: readonly unknown[], files: readonly SourceFile[]) =>
  queryOptions({
    queryKey: ['compilation', ...key],
    queryFn: ({ signal }) =>
      answered(api.POST('/api/compilations', { body: { files: [...files], stages_of: '' }, signal })),
    staleTime: Infinity,
    gcTime: 60_000,
  })
