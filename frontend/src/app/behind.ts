/**
 * Whether what is shown is of an older text than the editor's, for longer than a moment: then the status bar says so,
 * and the bounds above the queries are grey and slanted (piql-editor.css, by `data-behind`).
 */
import { useEffect, useState } from 'react'
import { useCompilationState } from '../documents/compile-loop'
import { usePaintedDocuments } from '../documents/documents'

/** An answer takes a tenth of it; nobody shall see each key. */
const MOMENT_MS = 700

export function useIsBehind(): boolean {
  const [isBehind, setBehind] = useState(false)
  useEffect(() => watch(setBehind), [])
  useEffect(() => {
    document.documentElement.toggleAttribute('data-behind', isBehind)
    return () => document.documentElement.removeAttribute('data-behind')
  }, [isBehind])
  return isBehind
}

/** Tells of each change of whether an answer is shown for too long; a key that is answered in time is none. */
function watch(tell: (isBehind: boolean) => void): () => void {
  let moment: ReturnType<typeof setTimeout> | undefined
  const rest = () => {
    clearTimeout(moment)
    moment = undefined
    tell(false)
  }
  const look = () => {
    if (usePaintedDocuments.getState().version === useCompilationState.getState().version) rest()
    else moment ??= setTimeout(() => tell(true), MOMENT_MS)
  }
  const stops = [
    usePaintedDocuments.subscribe(look),
    useCompilationState.subscribe((state, previous) => {
      if (state.version !== previous.version) rest()
      look()
    }),
  ]
  look()
  return () => {
    clearTimeout(moment)
    for (const stop of stops) stop()
  }
}
