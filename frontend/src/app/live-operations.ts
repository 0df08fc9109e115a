/** How many operations each query may ask for as it is deployed, to say where the text differs. */

import { useInfiniteQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { deployments } from '../api/queries'
import { useEnvironment } from './url-state'

export function useLiveOperations(): ReadonlyMap<string, number> {
  const environment = useEnvironment()
  const { data: versions } = useInfiniteQuery(deployments(environment))
  const live = versions?.find((version) => version.is_live)
  return useMemo(() => new Map(live?.queries.map(({ name, operations }) => [name, operations] as const)), [live])
}
