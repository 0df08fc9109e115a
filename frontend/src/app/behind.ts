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
  const typed = usePaintedDocuments((state) => state.version)
  const compiled = useCompilationState((state) => state.version)
  const isCurrent = typed === compiled
  const [late, setLate] = useState<number | null>(null) // the answer that is shown for too long
  useEffect(() => {
    if (isCurrent) return
    const moment = setTimeout(() => setLate(compiled), MOMENT_MS)
    return () => clearTimeout(moment)
  }, [isCurrent, compiled])
  const isBehind = !isCurrent && late === compiled
  useEffect(() => {
    document.documentElement.toggleAttribute('data-behind', isBehind)
    return () => document.documentElement.removeAttribute('data-behind')
  }, [isBehind])
  return isBehind
}
