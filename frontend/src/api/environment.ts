/** What most of the API is about: one environment of one application. */

export interface EnvironmentName {
  application: string
  environment: string
}

/** The path below which everything of an environment lies. */
export const ENVIRONMENT = '/api/applications/{application}/environments/{environment}'

/** The same path of one environment, for what is no typed call. */
export function pathOf({ application, environment }: EnvironmentName): string {
  return ENVIRONMENT.replace('{application}', encodeURIComponent(application)).replace(
    '{environment}',
    encodeURIComponent(environment),
  )
}

/** The key under which something of an environment is cached, or the beginning of such keys. */
export function keyOf<Rest extends readonly unknown[]>(
  what: string,
  { application, environment }: EnvironmentName,
  ...rest: Rest
): [string, string, string, ...Rest] {
  return [what, application, environment, ...rest]
}
