/** The SLO of each query: saved on the server once, and used by heatmap, deploy panel and dashboard alike. */

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { answered, api } from '../api/client'
import { ENVIRONMENT, keyOf } from '../api/environment'
import { environments, slos } from '../api/queries'
import type { Slo, SloWrite } from '../api/types'
import { DEFAULT_SLO, type SloTarget } from '../logic/view'
import { notify } from './notices'
import { replaceView, useEnvironment, useView } from './url-state'

export interface EffectiveSlo {
  /** The SLO to use: the tried one, else the saved one, else the environment's default. */
  slo: SloTarget
  saved: Slo | null
  /** Whether the tried SLO is another one than the saved one. */
  isTried: boolean
}

/** The SLO of a query. One that is tried in the heatmap (it is in the URL) takes precedence over the saved one. */
export function useEffectiveSlo(query: string): EffectiveSlo {
  const { slo: tried } = useView()
  const saved = useSavedSlos().get(query) ?? null
  const defaultSlo = useDefaultSlo()
  return {
    slo: tried ?? (saved ? targetOf(saved) : defaultSlo),
    saved,
    isTried: tried !== undefined && !(saved && isSame(tried, saved)),
  }
}

/** The default SLO of the environment, for queries without a saved one; DEFAULT_SLO where it sets none. */
export function useDefaultSlo(): SloTarget {
  const { application, environment } = useEnvironment()
  const { data } = useQuery({
    ...environments(application),
    select: (all) => all.find(({ id }) => id === environment)?.slo ?? null,
  })
  return data ?? DEFAULT_SLO
}

/** All saved SLOs, by the name of the query. */
export function useSavedSlos(): ReadonlyMap<string, Slo> {
  const environment = useEnvironment()
  const { data } = useQuery({ ...slos(environment), select: byQuery })
  return data ?? NONE
}

/** Mutations that save or remove the SLO of a query; everything that depends on it is read again. */
export function useSloChange(query: string) {
  const environment = useEnvironment()
  const queryClient = useQueryClient()
  const saved = useSavedSlos().get(query) ?? null
  const onChanged = () => {
    replaceView({ slo: undefined })
    void queryClient.invalidateQueries({ queryKey: slos(environment).queryKey })
    void queryClient.invalidateQueries({ queryKey: keyOf('latency', environment) })
    void queryClient.invalidateQueries({ queryKey: keyOf('deployments', environment, 'preview') })
  }
  const save = useMutation({
    mutationFn: (body: SloWrite) =>
      answered(api.PUT(`${ENVIRONMENT}/slos/{query}`, { params: { path: { ...environment, query } }, body })),
    onSuccess: () => {
      notify({ tone: 'success', subject: `SLO of ${query}`, text: `The SLO of ${query} is saved.` })
      onChanged()
    },
  })
  const remove = useMutation({
    mutationFn: () =>
      answered(api.DELETE(`${ENVIRONMENT}/slos/{query}`, { params: { path: { ...environment, query } } })),
    onSuccess: () => {
      const undo = saved ? { action: { label: 'Put it back', run: () => save.mutate(targetOf(saved)) } } : {}
      notify({ tone: 'success', subject: `SLO of ${query}`, text: `${query} has no SLO any more.`, ...undo })
      onChanged()
    },
  })
  return { save, remove }
}

const NONE: ReadonlyMap<string, Slo> = new Map()

function byQuery(all: readonly Slo[]): ReadonlyMap<string, Slo> {
  return new Map(all.map((slo) => [slo.query, slo]))
}

/** The target alone, without what the server adds to a saved SLO. */
export function targetOf({ quantile, threshold_ms, interval_seconds }: SloTarget): SloTarget {
  return { quantile, threshold_ms, interval_seconds }
}

function isSame(one: SloTarget, other: SloTarget): boolean {
  return (
    one.quantile === other.quantile &&
    one.threshold_ms === other.threshold_ms &&
    one.interval_seconds === other.interval_seconds
  )
}
