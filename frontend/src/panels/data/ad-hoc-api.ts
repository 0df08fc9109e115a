/** The request that runs a SELECT which is not deployed. */
import { answered, api } from '../../api/client'
import { ENVIRONMENT, type EnvironmentName } from '../../api/environment'
import type { ParameterValue } from '../../logic/parameters'

export interface SelectRequest {
  text: string
  /** Null where they are not known yet: then only the parameters and the bound are answered. */
  parameters: Record<string, ParameterValue> | null
  cursor: string | null
}

export const runSelect = (environment: EnvironmentName, body: SelectRequest) =>
  answered(api.POST(`${ENVIRONMENT}/selects`, { params: { path: environment }, body }))
