/**
 * The values that were typed into the form of each query. They are kept while the page is open, also when another panel
 * is shown or another version is deployed.
 */
import { create } from 'zustand'
import { currentView, useView } from '../../app/url-state'
import { entryOf } from '../../logic/entry'
import { type ParameterShape, type ParameterValue, type Typed, typedOf } from '../../logic/parameters'

type Values = Readonly<Record<string, Typed>>

const useForms = create<{ forms: Readonly<Record<string, Values>> }>(() => ({ forms: {} }))
const NOTHING: Values = {}

/** The typed values of a query of the open application, by parameter. */
export function useTyped(query: string): Values {
  const { application } = useView()
  return useForms((state) => entryOf(state.forms, keyOf(application, query))) ?? NOTHING
}

/** Keeps a typed value; null is NULL. */
export function keepTyped(query: string, parameter: string, text: Typed): void {
  const key = keyOf(currentView().application, query)
  useForms.setState(({ forms }) => ({ forms: { ...forms, [key]: { ...entryOf(forms, key), [parameter]: text } } }))
}

/** Puts the values of a run into the form of its query; the field of a value that it did not have becomes empty. */
export function typeValues(
  query: string,
  parameters: readonly ParameterShape[],
  values: Readonly<Record<string, ParameterValue>>,
): void {
  const typed = parameters.map((parameter) => [parameter.name, typedOf(parameter, entryOf(values, parameter.name))])
  const key = keyOf(currentView().application, query)
  useForms.setState(({ forms }) => ({ forms: { ...forms, [key]: Object.fromEntries(typed) as Values } }))
}

/** Forgets the values of a query, so that its form shows samples again. */
export function forgetTyped(query: string): void {
  const key = keyOf(currentView().application, query)
  useForms.setState(({ forms }) => ({ forms: { ...forms, [key]: NOTHING } }))
}

function keyOf(application: string, query: string): string {
  return JSON.stringify([application, query])
}
