/** The query that the panels speak of. */
import { useEffect } from 'react'
import type { Compilation, Query } from '../api/types'
import { showStagesOf, useCompilationState } from '../documents/compile-loop'
import { useDocuments } from '../documents/documents'
import { contains } from '../logic/text-edits'
import { reveal, useCaret } from './editor-bridge'
import { currentView, replaceView, setView, useView } from './url-state'

export function useCompilation(): Compilation | null {
  return useCompilationState((state) => state.compilation)
}

export function useSelectedQuery(): Query | null {
  const compilation = useCompilation()
  const { query } = useView()
  return compilation?.queries.find((each) => each.name === query) ?? null
}

/** Whether the stages of a query have been asked for and are here; a query without a plan has none. */
export function useHasStages(query: Query | null): boolean {
  const stagesOf = useCompilationState((state) => state.stagesOf)
  return query !== null && (query.stages.length > 0 || stagesOf === null || stagesOf === query.name)
}

export function selectQuery(query: Query, isFocused = false): void {
  setView({ query: query.name, stage: undefined, node: undefined, file: query.range.file })
  reveal(query.name_range, isFocused)
}

/** Keeps the selection meaningful: one from the start, and the query the caret stands in. */
export function useFollowedSelection(): void {
  const compilation = useCompilation()
  const caret = useCaret((state) => (state.isMoved ? state.caret : null))
  const files = useDocuments((state) => state.files)
  const { query: selected } = useView()
  useEffect(() => showStagesOf(selected ?? ''), [selected])
  useEffect(() => {
    if (!compilation || compilation.queries.length === 0) return
    const view = currentView()
    const named = compilation.queries.find((query) => query.name === view.query)
    if (named && !view.file) replaceView({ file: named.range.file })
    if (named) return
    const first = view.file ? compilation.queries.find((query) => query.range.file === view.file) : undefined
    const chosen = first ?? heaviest(compilation)
    replaceView({ query: chosen.name, node: undefined, stage: undefined, file: view.file ?? chosen.range.file })
  }, [compilation])
  useEffect(() => {
    if (!compilation || !caret) return
    const inside = compilation.queries.find((query) => contains(query.range, caret))
    if (inside && inside.name !== currentView().query) replaceView({ query: inside.name, stage: undefined, node: undefined })
  }, [compilation, caret])
  useEffect(() => {
    const view = currentView()
    if (files.length > 0 && view.file && !files.some((file) => file.path === view.file)) replaceView({ file: files[0]?.path })
  }, [files])
}

/** The query that asks most of the store is the one worth looking at first. */
function heaviest(compilation: Compilation): Query {
  return compilation.queries.reduce((best, query) =>
    (query.bound?.operations ?? Infinity) > (best.bound?.operations ?? Infinity) ? query : best,
  )
}
