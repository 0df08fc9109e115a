/** Names one environment of one application, which most of the API is about, in paths and in keys of the query cache. */

import { belowRoot } from './root'

export interface EnvironmentName {
  application: string
  environment: string
}

/** The prefix of all typed paths of an environment. */
export const ENVIRONMENT = '/api/applications/{application}/environments/{environment}'

/** The same prefix with the names filled in, for addresses that are no typed call, such as event streams. */
export function pathOf({ application, environment }: EnvironmentName): string {
  return belowRoot(
    ENVIRONMENT.replace('{application}', encodeURIComponent(application)).replace(
      '{environment}',
      encodeURIComponent(environment),
    ),
  )
}

/**
 * The key under which data of one kind is cached for an environment: `['slos', 'scadr', 'development']`. Without `rest`
 * it is also the prefix by which all data of that kind is invalidated.
 */
export function keyOf<Rest extends readonly unknown[]>(
  kind: string,
  { application, environment }: EnvironmentName,
  ...rest: Rest
): [string, string, string, ...Rest] {
  return [kind, application, environment, ...rest]
}
