/** The requests of the dialog Generate: begin, follow and stop the generation of rows. */
import { queryOptions } from '@tanstack/react-query'
import { answered, api } from '../../api/client'
import { ENVIRONMENT, type EnvironmentName, keyOf } from '../../api/environment'
import type { Generation } from '../../api/types'

export interface Wish {
  /** Of each table. */
  rows: number
  /** How many parents get all their groups full; null for one full group a limit. */
  full: number | null
  seed: number
  /** Of what may be NULL, from 0 to 1. */
  nullShare: number
  isDryRun: boolean
  /** Whether tables may hold rows. */
  isAdding: boolean
}

export const generate = (environment: EnvironmentName, { rows, full, seed, nullShare, isDryRun, isAdding }: Wish) =>
  answered(
    api.POST(`${ENVIRONMENT}/generations`, {
      params: { path: environment },
      body: { rows, rows_of: {}, full, seed, null_share: nullShare, dry_run: isDryRun, add: isAdding },
    }),
  )

export function isGenerating({ state }: Generation): boolean {
  return state === 'making' || state === 'loading'
}

/** A generation with its progress, read often while it runs. */
export const generation = (environment: EnvironmentName, id: string) =>
  queryOptions({
    queryKey: keyOf('generations', environment, id),
    queryFn: ({ signal }) =>
      answered(
        api.GET(`${ENVIRONMENT}/generations/{generation_id}`, {
          params: { path: { ...environment, generation_id: id } },
          signal,
        }),
      ),
    refetchInterval: (query) => (query.state.data && isGenerating(query.state.data) ? 300 : false),
  })

export const cancelGeneration = (environment: EnvironmentName, id: string) =>
  answered(
    api.POST(`${ENVIRONMENT}/generations/{generation_id}/cancel`, {
      params: { path: { ...environment, generation_id: id } },
    }),
  )
