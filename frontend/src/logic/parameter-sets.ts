/** Saved sets of parameters: whether one fits a query as it is now, and what of it goes into the form. */
import { isList, type ParameterShape, type Typed, typedOf } from './parameters'
import type { ParameterValues } from './run-history'

/** How a set and the parameters of a query differ, by names. */
export interface Misfits {
  /** Values for parameters that the query does not have. */
  unknown: readonly string[]
  /** Parameters for which there is no value. */
  missing: readonly string[]
  /** Lists for single values, and the other way round. */
  unlike: readonly string[]
}

export function misfitsOf(parameters: readonly ParameterShape[], values: ParameterValues): Misfits {
  const names = new Set(parameters.map(({ name }) => name))
  return {
    unknown: Object.keys(values).filter((name) => !names.has(name)),
    missing: parameters.filter(({ name }) => !Object.hasOwn(values, name)).map(({ name }) => name),
    unlike: parameters.filter((parameter) => isUnlike(parameter, values)).map(({ name }) => name),
  }
}

/** What does not fit, as a sentence; null where all does. */
export function misfitText(query: string, { unknown, missing, unlike }: Misfits): string | null {
  const parts = [
    unknown.length > 0 && `${query} has no parameter ${unknown.join(', ')}`,
    missing.length > 0 && `there is no value for ${missing.join(', ')}`,
    unlike.length > 0 && `${unlike.join(', ')} is a list in one and a single value in the other`,
  ].filter(Boolean)
  return parts.length === 0 ? null : `This set does not fit any more: ${parts.join('; ')}. It is kept as it is.`
}

/** The texts of a form for those values of a set that fit it. */
export function fittingTexts(
  parameters: readonly ParameterShape[],
  values: ParameterValues,
): Readonly<Record<string, Typed>> {
  const fitting = parameters.filter(
    (parameter) => Object.hasOwn(values, parameter.name) && !isUnlike(parameter, values),
  )
  return Object.fromEntries(fitting.map((parameter) => [parameter.name, typedOf(parameter, values[parameter.name])]))
}

/** What a set holds after a change: the values of the form, and those of before that the query has no parameter for. */
export function withUnknown(
  parameters: readonly ParameterShape[],
  before: ParameterValues,
  values: ParameterValues,
): ParameterValues {
  const { unknown } = misfitsOf(parameters, before)
  return { ...Object.fromEntries(unknown.map((name) => [name, before[name] ?? null])), ...values }
}

/** Whether two sets hold the same values, in any order. */
export function areSame(one: ParameterValues, another: ParameterValues): boolean {
  return ordered(one) === ordered(another)
}

function ordered(values: ParameterValues): string {
  return JSON.stringify(Object.entries(values).toSorted(([one], [another]) => (one < another ? -1 : 1)))
}

function isUnlike(parameter: ParameterShape, values: ParameterValues): boolean {
  return Object.hasOwn(values, parameter.name) && Array.isArray(values[parameter.name]) !== isList(parameter)
}
