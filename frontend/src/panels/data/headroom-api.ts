/** The requests of the part Headroom: the last count of groups, a new one, and what another limit costs. */
import { queryOptions } from '@tanstack/react-query'
import { answered, api } from '../../api/client'
import { ENVIRONMENT, type EnvironmentName, keyOf } from '../../api/environment'
import type { LimitHeadroom } from '../../api/types'

/** The last count with its progress, read often while it goes on. */
export const headroom = (environment: EnvironmentName) =>
  queryOptions({
    queryKey: keyOf('headroom', environment),
    queryFn: ({ signal }) => answered(api.GET(`${ENVIRONMENT}/headroom`, { params: { path: environment }, signal })),
    refetchInterval: (query) => (query.state.data?.state === 'counting' ? 500 : false),
  })

export const countGroups = (environment: EnvironmentName) =>
  answered(api.POST(`${ENVIRONMENT}/headroom/counts`, { params: { path: environment } }))

export const cancelCount = (environment: EnvironmentName) =>
  answered(api.POST(`${ENVIRONMENT}/headroom/counts/cancel`, { params: { path: environment } }))

/** How many rows share their values of some columns, whether they have a limit or not. */
export const countShared = (environment: EnvironmentName, table: string, columns: string[]) =>
  answered(api.POST(`${ENVIRONMENT}/headroom/groups`, { params: { path: environment }, body: { table, columns } }))

/** The bounds of the live queries with another number in a limit. */
export const raiseLimit = (environment: EnvironmentName, { table, columns, is_token }: LimitHeadroom, limit: number) =>
  answered(
    api.POST(`${ENVIRONMENT}/headroom/raises`, {
      params: { path: environment },
      body: { table, columns, is_token, limit },
    }),
  )
