import { queryOptions } from '@tanstack/react-query'
import { answered, api } from './client'
import { ENVIRONMENT, type EnvironmentName, keyOf } from './environment'
import { unlessKnown } from './pulse'
import type { Latency } from './types'

/** Where the time of the queries of a version goes, and how well their operators are predicted; from samples. */
export const operatorTimes = (
  environment: EnvironmentName,
  deploymentId: string,
  windowSeconds: number,
  source: Latency['source'],
) =>
  queryOptions({
    queryKey: keyOf('operator-times', environment, deploymentId, windowSeconds, source),
    queryFn: ({ client, queryKey, signal }) =>
      unlessKnown({ client, queryKey, of: environment, kind: 'observed', oldestMs: 60_000 }, () =>
        answered(
          api.GET(`${ENVIRONMENT}/operator-times/{deployment_id}`, {
            params: {
              path: { ...environment, deployment_id: deploymentId },
              query: { window_seconds: windowSeconds, source },
            },
            signal,
          }),
        ),
      ),
    placeholderData: (previous) => (previous?.deployment_id === deploymentId ? previous : undefined),
    staleTime: 10_000,
    refetchInterval: 10_000,
  })
