/**
 * Listens to the progress of profile runs, which the server sends as events, and puts it into the cached list of runs.
 */

import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { type EnvironmentName, pathOf } from '../../api/environment'
import { isActive, profileRuns } from '../../api/queries'
import type { ProfileRun } from '../../api/types'
import { useEnvironment } from '../../app/url-state'

/** Listens to every active run of a list. */
export function useRunEvents(runs: readonly ProfileRun[]): void {
  const queryClient = useQueryClient()
  const environment = useEnvironment()
  const active = runs
    .filter(isActive)
    .map((run) => run.id)
    .toSorted()
    .join()
  useEffect(() => {
    const sources = active === '' ? [] : active.split(',').map((id) => follow(id, queryClient, environment))
    return () => {
      for (const source of sources) source.close()
    }
  }, [active, queryClient, environment])
}

/**
 * Listens to one run until it ends. A lost stream reconnects by itself; meanwhile `profileRuns` is read every two
 * seconds.
 */
function follow(id: string, queryClient: QueryClient, environment: EnvironmentName): EventSource {
  const source = new EventSource(`${pathOf(environment)}/profile-runs/${encodeURIComponent(id)}/events`)
  source.addEventListener('progress', (event) => {
    const run = JSON.parse(event.data as string) as ProfileRun
    putRun(queryClient, environment, run)
    if (!isActive(run)) source.close()
  })
  return source
}

/** Replaces a run in the cached list, or adds it at the top. */
export function putRun(queryClient: QueryClient, environment: EnvironmentName, run: ProfileRun): void {
  queryClient.setQueryData(profileRuns(environment).queryKey, (runs) =>
    runs?.some((profileRun) => profileRun.id === run.id)
      ? runs.map((profileRun) => (profileRun.id === run.id ? run : profileRun))
      : [run, ...(runs ?? [])],
  )
}
