/** What was typed into the forms of queries: kept while the page is open, through other panels and other versions. */
import { create } from 'zustand'
import { entryOf } from '../../logic/entry'
import type { Typed } from '../../logic/parameters'

type Values = Readonly<Record<string, Typed>>

const useForms = create<{ forms: Readonly<Record<string, Values>> }>(() => ({ forms: {} }))
const NOTHING: Values = {}

export function useTyped(query: string): Values {
  return useForms((state) => entryOf(state.forms, query)) ?? NOTHING
}

export function type(query: string, parameter: string, text: Typed): void {
  useForms.setState(({ forms }) => ({ forms: { ...forms, [query]: { ...entryOf(forms, query), [parameter]: text } } }))
}

export function forgetTyped(query: string): void {
  useForms.setState(({ forms }) => ({ forms: { ...forms, [query]: NOTHING } }))
}
