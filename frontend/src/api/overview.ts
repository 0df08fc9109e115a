/** What the dashboard over all applications reads, as options for `useQuery`. */
import { queryOptions } from '@tanstack/react-query'
import { answered, api } from './client'
import { allPages } from './pages'

const READ_AGAIN_MS = 15_000
/** Environments of one answer: each that is closed is opened for it. */
const AT_ONCE = 20

/** Each environment of the applications that one may see, over a window that ends now. */
export const overview = (windowSeconds: number) =>
  queryOptions({
    queryKey: ['overview', windowSeconds],
    queryFn: ({ signal }) =>
      allPages((cursor) =>
        answered(
          api.GET('/api/overview', {
            params: { query: { window_seconds: windowSeconds, limit: AT_ONCE, cursor } },
            signal,
          }),
        ),
      ),
    placeholderData: (previous) => previous,
    refetchInterval: READ_AGAIN_MS,
  })
