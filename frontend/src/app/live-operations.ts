/** The bounds of the live version, to show where those of the text differ. */

import { useInfiniteQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { deployments } from '../api/queries'
import { useEnvironment } from './url-state'

/** The most operations of each live query, by name. */
export function useLiveOperations(): ReadonlyMap<string, number> {
  const environment = useEnvironment()
  const { data: versions } = useInfiniteQuery(deployments(environment))
  const live = versions?.find((version) => version.is_live)
  return useMemo(() => new Map(live?.queries.map(({ name, operations }) => [name, operations] as const)), [live])
}
