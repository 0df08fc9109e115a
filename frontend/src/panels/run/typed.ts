/**
 * The values that were typed into the form of each query. They are kept while the page is open, also when another panel
 * is shown or another version is deployed. Those of the form in sight are in the address, so that a link shows the same
 * form; and an address that has values puts them into the form.
 */
import { create } from 'zustand'
import { isOpen } from '../../app/panel-view'
import { currentView, onView, replaceView, useView } from '../../app/url-state'
import { entryOf } from '../../logic/entry'
import { type ParameterShape, type ParameterValue, type Typed, typedOf } from '../../logic/parameters'
import type { TypedValues } from '../../logic/typed-values'

const useForms = create<{ forms: Readonly<Record<string, TypedValues>> }>(() => ({ forms: {} }))
const NOTHING: TypedValues = {}
/** Browsers refuse an address that changes with each repeat of a key. */
const ADDRESS_PAUSE_MS = 300

/** The values of the address that are in the form already. */
let taken: TypedValues | undefined
let pause: ReturnType<typeof setTimeout> | undefined

followAddress()
onView(followAddress)
useForms.subscribe(() => {
  clearTimeout(pause)
  pause = setTimeout(followAddress, ADDRESS_PAUSE_MS)
})

/** Puts values that are new in the address into the form of its query; else those of the form in sight into the address. */
function followAddress(): void {
  const view = currentView()
  if (!view.query) return
  const key = keyOf(view.application, view.query)
  if (view.values && view.values !== taken) {
    taken = view.values
    useForms.setState(({ forms }) => ({ forms: { ...forms, [key]: view.values ?? NOTHING } }))
  } else if (isOpen(view, 'run')) {
    const typed = entryOf(useForms.getState().forms, key) ?? NOTHING
    taken = Object.keys(typed).length > 0 ? typed : undefined
    if (taken !== view.values) replaceView({ values: taken })
  }
}

/** The typed values of a query of the open application, by parameter. */
export function useTyped(query: string): TypedValues {
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
  useForms.setState(({ forms }) => ({ forms: { ...forms, [key]: Object.fromEntries(typed) as TypedValues } }))
}

/** Forgets the values of a query, so that its form shows samples again. */
export function forgetTyped(query: string): void {
  const key = keyOf(currentView().application, query)
  useForms.setState(({ forms }) => ({ forms: { ...forms, [key]: NOTHING } }))
}

function keyOf(application: string, query: string): string {
  return JSON.stringify([application, query])
}
