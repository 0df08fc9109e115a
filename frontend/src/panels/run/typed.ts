/** What was typed into the forms of queries: kept while the page is open, through other panels and other versions. */
import { create } from 'zustand'
import { currentView, useView } from '../../app/url-state'
import { entryOf } from '../../logic/entry'
import type { Typed } from '../../logic/parameters'

type Values = Readonly<Record<string, Typed>>

const useForms = create<{ forms: Readonly<Record<string, Values>> }>(() => ({ forms: {} }))
const NOTHING: Values = {}

export function useTyped(query: string): Values {
  const { application } = useView()
  return useForms((state) => entryOf(state.forms, keyOf(application, query))) ?? NOTHING
}

export function type(query: string, parameter: string, text: Typed): void {
  const key = keyOf(currentView().application, query)
  useForms.setState(({ forms }) => ({ forms: { ...forms, [key]: { ...entryOf(forms, key), [parameter]: text } } }))
}

export function forgetTyped(query: string): void {
  const key = keyOf(currentView().application, query)
  useForms.setState(({ forms }) => ({ forms: { ...forms, [key]: NOTHING } }))
}

function keyOf(application: string, query: string): string {
  return JSON.stringify([application, query])
}
