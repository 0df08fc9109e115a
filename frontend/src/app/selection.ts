/** The current query, by the rules of logic/current-query.ts: follows caret, text and address, and is chosen by name here. */
import { useEffect } from 'react'
import type { Compilation, Query } from '../api/types'
import { showStagesOf, useCompilationState } from '../documents/compile-loop'
import { useDocuments } from '../documents/documents'
import { atAddress, type CurrentQuery, chosen, follow, queryUnder } from '../logic/current-query'
import type { View } from '../logic/view'
import { forgetReveal, reveal, useCaret } from './editor-bridge'
import { currentView, onAddress, replaceView, setView, useView } from './url-state'

let current: CurrentQuery | null = null

/** What of the view is said of one query, and means nothing to the next. */
const OF_ANOTHER: Partial<View> = {
  stage: undefined,
  node: undefined,
  x: undefined,
  y: undefined,
  at: undefined,
  cell: undefined,
  slo: undefined,
}

export function useCompilation(): Compilation | null {
  return useCompilationState((state) => state.compilation)
}

export function useSelectedQuery(): Query | null {
  const compilation = useCompilation()
  const { query } = useView()
  return compilation?.queries.find((compiled) => compiled.name === query) ?? null
}

/** Whether the stages of a query have been asked for and are here; a query without a plan has none. */
export function useHasStages(query: Query | null): boolean {
  const stagesOf = useCompilationState((state) => state.stagesOf)
  return query !== null && (query.stages.length > 0 || stagesOf === null || stagesOf === query.name)
}

interface Choice {
  isFocused?: boolean
  /** What else of the view changes with it, in one step of the back button. */
  view?: Partial<View>
}

/** Makes a query the current one and moves the caret into it; one that only the live version has is in no text. */
export function selectQuery(name: string, { isFocused = false, view = {} }: Choice = {}): void {
  const query = queries().find((compiled) => compiled.name === name)
  choose(name, query ? { ...view, file: query.range.file } : view)
  if (query) reveal(query.name_range, isFocused)
}

/** The same for a reader who looks at another place that is about the query: the caret stays where the rules let it. */
export function selectQueryFrom(name: string, view: Partial<View>): void {
  const stays = follow(queries(), useCaret.getState().caret, chosen(queries(), name))?.name === name
  if (stays) choose(name, view)
  else selectQuery(name, { view })
}

/** Goes to a place that is about a query, such as a problem's: the query is the current one unless the place is another's. */
export function revealOf(name: string | null, range: Query['range']): void {
  if (name !== null) choose(name, {})
  reveal(range, true)
}

/** Whether the caret stands in the current query, as far as the text of now is compiled. */
export function isUnderCaret(): boolean {
  return isCompiled() && queryUnder(queries(), useCaret.getState().caret)?.name === currentView().query
}

/** Makes the query under the caret the current one, where it is not. */
export function followCaret(): void {
  if (!isCompiled()) return
  if (current) become(follow(queries(), useCaret.getState().caret, current))
  else followAddress()
}

/** Keeps the current query what the rules say while the workbench is open. */
export function useFollowedSelection(): void {
  const files = useDocuments((state) => state.files)
  const { query: selected } = useView()
  useEffect(() => {
    current = null
    forgetReveal()
    followCaret()
    const stops = [
      useCompilationState.subscribe((state, before) => {
        if (state.version !== before.version) followCaret()
      }),
      useCaret.subscribe((state, before) => {
        if (state.caret !== before.caret && current) followCaret()
      }),
      onAddress(followAddress),
    ]
    return () => stops.forEach((stop) => stop())
  }, [])
  useEffect(() => showStagesOf(selected ?? ''), [selected])
  useEffect(() => {
    const view = currentView()
    if (files.length > 0 && view.file && !files.some((file) => file.path === view.file))
      replaceView({ file: files[0]?.path })
  }, [files])
}

function queries(): readonly Query[] {
  return useCompilationState.getState().compilation?.queries ?? []
}

function isCompiled(): boolean {
  return useCompilationState.getState().version === useDocuments.getState().version
}

function choose(name: string, view: Partial<View>): void {
  current = chosen(queries(), name)
  setView({
    ...(name === currentView().query ? {} : OF_ANOTHER),
    ...view,
    query: name,
    stage: undefined,
    node: undefined,
  })
}

function become(next: CurrentQuery | null): void {
  current = next
  if (next?.name !== currentView().query) replaceView({ ...OF_ANOTHER, query: next?.name })
}

/** What an address names, at first and on the way back: the caret goes into its query. */
function followAddress(): void {
  const { file } = currentView()
  become(atAddress(queries(), currentView()))
  const query = queries().find((compiled) => compiled.name === current?.name)
  if (!query || (file && query.range.file !== file) || isUnderCaret()) return
  const { start_line, start_column } = query.name_range
  reveal({ ...query.name_range, end_line: start_line, end_column: start_column })
}
