/** Reads the open application again and again, so that changes of other people and drafts of closed tabs arrive. */
import { queryOptions } from '@tanstack/react-query'
import { ASK_AGAIN_MS, TOLD, unlessKnown } from '../api/pulse'
import { openApplication, useDocuments } from './documents'
import { type ApplicationRead, isOlderThanWrites, readApplication } from './saving'
import { readOpenTabs } from './tab'

/**
 * Looked at every few seconds while the page is in sight, and at once when it comes back into sight: the server is asked
 * where a file was written since, here or elsewhere. Never taken from the cache: after a visit to another page, the first
 * answer would be older than what was saved since.
 */
export const applicationQuery = (id: string) =>
  queryOptions({
    queryKey: ['application', id],
    queryFn: async ({ client, queryKey, signal }) => {
      const known = client.getQueryData<ApplicationRead>(queryKey)
      const isOutdated = known !== undefined && isOlderThanWrites(known)
      const application = await unlessKnown(
        { client, queryKey, of: { application: id }, kind: 'files', isOutdated },
        () => readApplication(id, signal),
        ({ version }) => version,
      )
      await readOpenTabs()
      return application
    },
    meta: TOLD,
    staleTime: Infinity,
    gcTime: 0,
    refetchInterval: ASK_AGAIN_MS,
    refetchOnWindowFocus: 'always',
  })

/**
 * Takes an application that was read: the paths of open files that took a newer text. A save that ended between the
 * answer and now has written a newer text than the answer holds, which must not come back: null, and nothing is taken.
 */
export function takeRead(read: ApplicationRead): string[] | null {
  const isOpen = useDocuments.getState().application === read.id
  return isOpen && isOlderThanWrites(read) ? null : openApplication(read.id, read.files)
}
