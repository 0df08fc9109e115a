/** Refusals of a value: the message is shown at the field of its parameter until the value changes. */
import { ApiError } from '../../api/client'
import type { Parameter } from '../../api/types'
import { type Typed, valueOf } from '../../logic/parameters'

export interface Refusal {
  parameter: string
  value: Typed
  /** What is wrong, without the parameter's name, which the field shows. */
  message: string
}

/** The refusal that an error describes; null if it is about no parameter of the form. */
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

/** The message for a field, if its present value is the refused one. */
export function errorAt(refusal: Refusal | null, parameter: string, value: Typed): string | undefined {
  return refusal?.parameter === parameter && refusal.value === value ? refusal.message : undefined
}
