/** Progress of runs as the server sends it, laid into the list of runs. */

import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { type EnvironmentName, pathOf } from '../../api/environment'
import { isActive, profileRuns } from '../../api/queries'
import type { ProfileRun } from '../../api/types'
import { useEnvironment } from '../../app/url-state'

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

/** An event source connects again by itself; the list is asked too, so a lost stream only costs smoothness. */
function follow(id: string, queryClient: QueryClient, environment: EnvironmentName): EventSource {
  const source = new EventSource(`${pathOf(environment)}/profile-runs/${encodeURIComponent(id)}/events`)
  source.addEventListener('progress', (event) => {
    const run = JSON.parse(event.data as string) as ProfileRun
    putRun(queryClient, environment, run)
    if (!isActive(run)) source.close()
  })
  return source
}

export function putRun(queryClient: QueryClient, environment: EnvironmentName, run: ProfileRun): void {
  queryClient.setQueryData(profileRuns(environment).queryKey, (runs) =>
    runs?.some((profileRun) => profileRun.id === run.id)
      ? runs.map((profileRun) => (profileRun.id === run.id ? run : profileRun))
      : [run, ...(runs ?? [])],
  )
}
