/** The value that a run was refused for: shown at its field until it is another. */
import { ApiError } from '../../api/client'
import type { Parameter } from '../../api/types'
import { type Typed, valueOf } from '../../logic/parameters'

export interface Refusal {
  parameter: string
  value: Typed
  /** What is wrong, without the name: the field has it. */
  message: string
}

/** Null where the error is of no value that has a field. */
export function refusalOf(
  error: Error,
  parameters: readonly Parameter[],
  typed: Readonly<Record<string, Typed>>,
): Refusal | null {
  if (!(error instanceof ApiError)) return null
  const { parameter, message, help } = error
  if (parameter === null || !parameters.some(({ name }) => name === parameter)) return null
  const sentences = [message.replace(`[${parameter}] `, ''), help].filter(Boolean)
  return { parameter, value: valueOf(typed, parameter), message: sentences.join(' ') }
}

export function errorAt(refusal: Refusal | null, parameter: string, value: Typed): string | undefined {
  return refusal?.parameter === parameter && refusal.value === value ? refusal.message : undefined
}
