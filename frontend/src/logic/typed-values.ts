/**
 * What is typed into the form of a run, as the fragment of an address: `#value.me=ada&null=since`. Browsers send no
 * server what is behind `#`, so values are in no log of one.
 */
import type { Typed } from './parameters'

export type TypedValues = Readonly<Record<string, Typed>>

const PREFIX = 'value.'
const NULL = 'null'
/** A longer fragment is left out: chat programs cut such links. */
const MOST_CHARACTERS = 4000

/** The fragment with its `#`; empty for no values, and for more than a link can hold. */
export function formatTyped(values: TypedValues): string {
  const parts = new URLSearchParams()
  for (const [name, typed] of Object.entries(values)) {
    if (typed === null) parts.append(NULL, name)
    else parts.append(PREFIX + name, typed)
  }
  const text = parts.toString()
  return text === '' || text.length > MOST_CHARACTERS ? '' : `#${text}`
}

/** The values in a fragment; undefined if it has none. */
export function parseTyped(hash: string): TypedValues | undefined {
  const entries = [...new URLSearchParams(hash.replace(/^#/, ''))].flatMap(([key, value]): [string, Typed][] =>
    key === NULL ? [[value, null]] : key.startsWith(PREFIX) ? [[key.slice(PREFIX.length), value]] : [],
  )
  return entries.length > 0 ? Object.fromEntries(entries) : undefined
}
