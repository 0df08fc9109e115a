/** Reads the open application again and again, so that changes of other people and drafts of closed tabs arrive. */
import { queryOptions } from '@tanstack/react-query'
import { readApplication } from './saving'
import { readOpenTabs } from './tab'

const READ_AGAIN_MS = 4000

/**
 * Read every few seconds while the page is in sight, and at once when it comes back into sight. Never taken from the
 * cache: after a visit to another page, the first answer would be older than what was saved since.
 */
export const applicationQuery = (id: string) =>
  queryOptions({
    queryKey: ['application', id],
    queryFn: async ({ signal }) => {
      const application = await readApplication(id, signal)
      await readOpenTabs()
      return application
    },
    staleTime: Infinity,
    gcTime: 0,
    refetchInterval: READ_AGAIN_MS,
    refetchOnWindowFocus: 'always',
  })
