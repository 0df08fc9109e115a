/** Reads the application that is open. */
import { queryOptions } from '@tanstack/react-query'
import { readApplication } from './saving'

/** How often the server is asked whether somebody else has written. */
const LOOK_MS = 4000

/** Asked again and again while the page is looked at, and at once when it is come back to. Never from the cache: after a while on another page, what was read at first would be laid over what was saved since. */
export const applicationQuery = (id: string) =>
  queryOptions({
    queryKey: ['application', id],
    queryFn: ({ signal }) => readApplication(id, signal),
    staleTime: Infinity,
    gcTime: 0,
    refetchInterval: LOOK_MS,
    refetchOnWindowFocus: 'always',
  })
