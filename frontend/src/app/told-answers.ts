/** Reads again what the pulse says is out of date, as soon as it says so. */
import { type InfiniteData, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { keyOf } from '../api/environment'
import type { Page } from '../api/pages'
import { pulse } from '../api/pulse'
import type { Deployment, Versions } from '../api/types'
import { useEnvironment } from './url-state'

export function useToldAnswers(): void {
  const environment = useEnvironment()
  const queryClient = useQueryClient()
  const { data, dataUpdatedAt } = useQuery(pulse(environment))
  const versions = data?.versions
  /** The last versions of each environment that was looked at. */
  const seen = useRef(new Map<string, Versions>())
  useEffect(() => {
    if (!versions) return
    const name = keyOf('pulse', environment).join('/')
    const before = seen.current.get(name)
    seen.current.set(name, versions)
    void queryClient.refetchQueries(
      { type: 'active', predicate: ({ meta }) => meta?.['isTold'] === true },
      { cancelRefetch: false },
    )
    if (!before) return
    if (before.live !== versions.live)
      void queryClient.invalidateQueries({ queryKey: keyOf('deployments', environment) })
    if (before.environments !== versions.environments)
      void queryClient.invalidateQueries({ queryKey: ['environments', environment.application] })
  }, [versions, environment, queryClient])

  /** The environments whose deployments were found to have what the pulse says is live: from then on it tells changes.
   * Until then they are compared with each pulse, also with one that is the same. */
  const agreed = useRef(new Set<string>())
  useEffect(() => {
    const queryKey = keyOf('deployments', environment)
    const name = queryKey.join('/')
    const read = queryClient.getQueryData<InfiniteData<Page<Deployment>>>(queryKey)
    if (dataUpdatedAt === 0 || !versions || !read || agreed.current.has(name)) return
    if (liveIn(read) === liveOf(versions)) agreed.current.add(name)
    else void queryClient.invalidateQueries({ queryKey })
  }, [versions, dataUpdatedAt, environment, queryClient])
}

function liveIn({ pages }: InfiniteData<Page<Deployment>>): string {
  return pages.flatMap(({ items }) => items).find((version) => version.is_live)?.id ?? ''
}

/** The id of the deployment that is live, which its version begins with; empty for none. */
function liveOf({ live }: Versions): string {
  return live.split(' ', 1)[0] ?? ''
}
