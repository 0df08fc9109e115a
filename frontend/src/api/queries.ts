/**
 * What the panels read from the server, as options for `useQuery`: the request, the key it is cached under, and how
 * often it is repeated.
 *
 * Requests that depend on the texts take `files`, the texts that were compiled. Their key holds a short value in place of
 * the texts (a version, or `plan`): while it is the same, so is the answer.
 */
import { type InfiniteData, infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { isUnderWay } from '../logic/build'
import { answered, api } from './client'
import { ENVIRONMENT, type EnvironmentName, keyOf } from './environment'
import { allPages, type Page, pagesUntil } from './pages'
import { askPrediction } from './prediction-batch'
import { ASK_AGAIN_MS, unlessKnown } from './pulse'
import type { Axis, CapacityCreate, Deployment, ProfileRun, SloWrite, SourceFile, StripeDialCreate } from './types'

/** After this time a window that ends now has moved on, and a silence may be over, though nothing was observed. */
export const SLIDES_MS = 30_000

/**
 * All applications. Somebody else may rename one, so they are read again each minute and when the page is looked at
 * again; every two seconds while the list is empty or could not be read.
 */
export const applications = queryOptions({
  queryKey: ['applications'],
  queryFn: ({ signal }) =>
    allPages((cursor) => answered(api.GET('/api/applications', { params: { query: { cursor } }, signal }))),
  refetchInterval: (query) => (query.state.data?.length ? 60_000 : 2000),
  refetchOnWindowFocus: true,
})

/** The environments of an application; no store is asked for it. */
export const environments = (application: string) =>
  queryOptions({
    queryKey: ['environments', application],
    queryFn: ({ signal }) =>
      allPages((cursor) =>
        answered(
          api.GET('/api/applications/{application}/environments', {
            params: { path: { application }, query: { cursor } },
            signal,
          }),
        ),
      ),
    enabled: application !== '',
  })

/** Whether a profile run has not ended yet. */
export function isActive(run: ProfileRun): boolean {
  return run.state === 'queued' || run.state === 'starting' || run.state === 'running' || run.state === 'cancelling'
}

/** All profile runs of an environment. */
export const profileRuns = (environment: EnvironmentName) =>
  queryOptions({
    queryKey: keyOf('profile-runs', environment),
    queryFn: ({ signal }) =>
      allPages((cursor) =>
        answered(api.GET(`${ENVIRONMENT}/profile-runs`, { params: { path: environment, query: { cursor } }, signal })),
      ),
    // Predictions appear everywhere once a run ends. The panel Profile also listens to the events of each run.
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

/** One version with the texts that were deployed. */
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

/** The version that is being built, or how the last build ended; read often while the build is not paused. */
export const build = (environment: EnvironmentName) =>
  queryOptions({
    queryKey: keyOf('deployments', environment, 'build'),
    queryFn: ({ signal }) =>
      answered(api.GET(`${ENVIRONMENT}/deployments/builds/latest`, { params: { path: environment }, signal })),
    refetchInterval: (query) =>
      query.state.data && isUnderWay(query.state.data) ? (query.state.data.is_paused ? 3000 : 400) : false,
  })

/**
 * What deploying the texts would change. `version` counts changes of the texts; SLOs are checked by the profile run
 * `runId`.
 */
export const preview = (
  environment: EnvironmentName,
  version: number,
  files: SourceFile[],
  runId: string | null = null,
) =>
  queryOptions({
    queryKey: keyOf('deployments', environment, 'preview', version, runId),
    queryFn: ({ signal }) =>
      answered(
        api.POST(`${ENVIRONMENT}/deployments/preview`, {
          params: { path: environment },
          body: { files, run_id: runId },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
    gcTime: 10_000,
  })

/** What deploying in an environment what is live in another one would change; asked when the reader asks. */
export const promotionPreview = (target: EnvironmentName, source: string) =>
  queryOptions({
    queryKey: keyOf('deployments', target, 'promotion', source),
    queryFn: ({ signal }) =>
      answered(
        api.POST(`${ENVIRONMENT}/deployments/promotions/preview`, {
          params: { path: target },
          body: { environment: source },
          signal,
        }),
      ),
    retry: false,
    gcTime: 0,
  })

/** What rolling back would change; never cached, because it is read when the dialog opens. */
export const rollbackPreview = (environment: EnvironmentName) =>
  queryOptions({
    queryKey: keyOf('deployments', environment, 'rollback'),
    queryFn: ({ signal }) =>
      answered(api.GET(`${ENVIRONMENT}/deployments/rollback/preview`, { params: { path: environment }, signal })),
    retry: false,
    gcTime: 0,
  })

/** The saved SLOs of all queries. */
export const slos = (environment: EnvironmentName) =>
  queryOptions({
    queryKey: keyOf('slos', environment),
    queryFn: ({ signal }) =>
      allPages((cursor) =>
        answered(api.GET(`${ENVIRONMENT}/slos`, { params: { path: environment, query: { cursor } }, signal })),
      ),
  })

/** What is wrong now, the last alerts, the silences, and where alerts go; the server looks once a minute. */
export const alerts = (environment: EnvironmentName) =>
  queryOptions({
    queryKey: keyOf('alerts', environment),
    queryFn: ({ client, queryKey, signal }) =>
      unlessKnown({ client, queryKey, of: environment, kind: 'observed', oldestMs: SLIDES_MS }, () =>
        answered(api.GET(`${ENVIRONMENT}/alerts`, { params: { path: environment }, signal })),
      ),
    refetchInterval: ASK_AGAIN_MS,
  })

/** Values from the data that a query of a version can be run with. */
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

/** The predicted latency of one query, or why there is none. */
export const prediction = (
  environment: EnvironmentName,
  plan: string,
  files: SourceFile[],
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

/** The predicted latency of a page of several queries, written `a, b | c`: first a, then b and c together. */
export const pagePrediction = (
  environment: EnvironmentName,
  plans: string,
  files: SourceFile[],
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
          body: { files, page, run_id: runId, slo },
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
  /** null for a curve along one limit. */
  y: AxisRequest | null
  slo: SloWrite
  /** Values of the limits that are on no axis, by symbol; others have the value in the text. */
  values: Record<string, number>
}

/** The predicted latency of a query for each combination of values of one or two limits. */
export const heatmap = (environment: EnvironmentName, plan: string, files: SourceFile[], request: HeatmapRequest) =>
  queryOptions({
    queryKey: keyOf('heatmap', environment, request, plan),
    queryFn: ({ signal }) => {
      const { runId, ...body } = request
      return answered(
        api.POST(`${ENVIRONMENT}/heatmaps`, {
          params: { path: environment },
          body: { files, run_id: runId, ...body },
          signal,
        }),
      )
    },
    placeholderData: keepPreviousData,
    staleTime: 300_000,
    retry: false,
  })

/**
 * How much load the store takes, and what more users need: at `shown` numbers of users, else at some from 10³ to 10⁹.
 * The last answer stays until the next one is there; a request that nobody waits for any more is given up.
 */
export const capacity = (
  environment: EnvironmentName,
  files: SourceFile[],
  question: Omit<CapacityCreate, 'files' | 'shown_users'>,
  shown: number | null,
) =>
  queryOptions({
    queryKey: keyOf('capacity', environment, question, shown, files),
    queryFn: ({ signal }) =>
      answered(
        api.POST(`${ENVIRONMENT}/capacity-reports`, {
          params: { path: environment },
          body: { ...question, files, shown_users: shown === null ? null : [shown] },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
    staleTime: 300_000,
    retry: false,
  })

/** What a view takes by its number of stripes; `plans` names the files: equal plans have equal answers. */
export const stripeDial = (environment: EnvironmentName, plans: string, question: StripeDialCreate) => {
  const { files: _, ...rest } = question
  return queryOptions({
    queryKey: keyOf('stripe-dial', environment, plans, rest),
    queryFn: ({ signal }) =>
      answered(api.POST(`${ENVIRONMENT}/stripe-dials`, { params: { path: environment }, body: question, signal })),
    placeholderData: keepPreviousData,
    staleTime: 300_000,
    retry: false,
  })
}

/** What the queries of some files cost; `version` names the files, and `sheet` the prices that the environment has. */
export const priceReport = (
  environment: EnvironmentName,
  version: string,
  sheet: string,
  files: SourceFile[],
  rates: Readonly<Record<string, number>>,
) =>
  queryOptions({
    queryKey: keyOf('prices', environment, version, sheet, rates),
    queryFn: ({ signal }) =>
      answered(
        api.POST(`${ENVIRONMENT}/price-reports`, { params: { path: environment }, body: { files, rates }, signal }),
      ),
    placeholderData: keepPreviousData,
    staleTime: Infinity,
    retry: false,
  })

/** For every limit in the files the largest value that keeps the SLO: that of the query, else `slo`. */
export const safeLimits = (
  environment: EnvironmentName,
  plans: string,
  files: SourceFile[],
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
          body: { files, run_id: runId, slo, slos: sloByQuery },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
    staleTime: 300_000,
    retry: false,
  })

/** A burst of executions, read often while it runs. */
export const burst = (environment: EnvironmentName, id: string) =>
  queryOptions({
    queryKey: keyOf('bursts', environment, id),
    queryFn: ({ signal }) =>
      answered(
        api.GET(`${ENVIRONMENT}/bursts/{burst_id}`, { params: { path: { ...environment, burst_id: id } }, signal }),
      ),
    refetchInterval: (query) => (query.state.data?.state === 'running' ? 400 : false),
  })

/**
 * The saves of an application, the newest first; with a path only those that changed this file. `revisions` changes with
 * every save, so that the list is read again.
 */
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

/** One save with its texts, which never change. */
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

/** What differs between two sets of texts, both compiled. */
export const comparison = (before: readonly SourceFile[], after: readonly SourceFile[]) =>
  queryOptions({
    queryKey: ['comparison', before, after],
    queryFn: ({ signal }) =>
      answered(api.POST('/api/comparisons', { body: { before: [...before], after: [...after] }, signal })),
    staleTime: Infinity,
    gcTime: 60_000,
    placeholderData: keepPreviousData,
  })

/** The compilation of texts that are not those of the editor, with the stages of one query. */
export const compilationOf = (files: readonly SourceFile[], query: string) =>
  queryOptions({
    queryKey: ['compilation', files, query],
    queryFn: ({ signal }) =>
      answered(api.POST('/api/compilations', { body: { files: [...files], stages_of: query }, signal })),
    staleTime: Infinity,
    gcTime: 60_000,
  })
