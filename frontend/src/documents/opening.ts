/** Reads the workspace that is open. */
import { queryOptions } from '@tanstack/react-query'
import { readWorkspace } from './saving'

/** Never from the cache: after a while on another page, what was read at first would be laid over what was saved since. */
export const workspaceQuery = (id: string) =>
  queryOptions({
    queryKey: ['workspace', id],
    queryFn: ({ signal }) => readWorkspace(id, signal),
    staleTime: Infinity,
    gcTime: 0,
  })
