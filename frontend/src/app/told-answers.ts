/** Reads again what the pulse says is out of date, as soon as it says so. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { keyOf } from '../api/environment'
import { pulse } from '../api/pulse'
import type { Versions } from '../api/types'
import { useEnvironment } from './url-state'

export function useToldAnswers(): void {
  const environment = useEnvironment()
  const queryClient = useQueryClient()
  const { data } = useQuery(pulse(environment))
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
}
