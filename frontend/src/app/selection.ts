/**
 * The current query: applies the rules of logic/current-query.ts. Its name is in the view (`query` in the URL). It
 * follows the caret, the text and the address while the workbench is open (`useFollowedSelection`), and panels choose
 * another one by name (`selectQuery`, `selectQueryFrom`, `revealOf`). With the caret in a query whose name an earlier one
 * has, the view names none, and `useRepeatedQuery` gives it.
 */
import { useEffect, useRef } from 'react'
import { create } from 'zustand'
import { useShallow } from 'zustand/react/shallow'
import type { Compilation, Query, RepeatedQuery } from '../api/types'
import { showStagesOf, useCompilationState } from '../documents/compile-loop'
import { useDocuments } from '../documents/documents'
import { atAddress, type CurrentQuery, chosen, follow, type PlacedQuery, queryUnder } from '../logic/current-query'
import { missingFile } from '../logic/missing-file'
import type { View } from '../logic/view'
import { forgetReveal, reveal, useCaret } from './editor-bridge'
import { notify } from './notices'
import { useShownAnswer } from './shown-compilation'
import { currentView, onAddress, replaceView, setView, useView } from './url-state'

/** The current query with its position, by which it is found again when it is renamed. */
let current: CurrentQuery | null = null

const useRepeated = create<{ repeated: RepeatedQuery | null }>(() => ({ repeated: null }))

/** The parts of the view that concern one query only, reset for the next one. */
const NO_DETAILS: Partial<View> = {
  stage: undefined,
  node: undefined,
  x: undefined,
  y: undefined,
  at: undefined,
  cell: undefined,
  slo: undefined,
}

/** The compilation that is shown. */
export function useCompilation(): Compilation | null {
  return useShownAnswer().compilation
}

/** The current query as it is compiled; null if it is not in the text. */
export function useSelectedQuery(): Query | null {
  const compilation = useCompilation()
  const { query } = useView()
  return compilation?.queries.find((compiled) => compiled.name === query) ?? null
}

/** The current query if an earlier one has its name; then there is no selected query. */
export function useRepeatedQuery(): RepeatedQuery | null {
  return useRepeated((state) => state.repeated)
}

/** The same, for what is no component. */
export function repeatedQuery(): RepeatedQuery | null {
  return useRepeated.getState().repeated
}

/**
 * Whether the stages of a query have arrived. They are requested for the current query only; one without a plan has
 * none.
 */
export function useHasStages(query: Query | null): boolean {
  const { stagesOf } = useShownAnswer()
  return query !== null && (query.stages.length > 0 || stagesOf === null || stagesOf === query.name)
}

interface Choice {
  /** Whether the editor takes the focus. */
  isFocused?: boolean
  /** Further changes of the view, which the back button undoes in the same step. */
  view?: Partial<View>
}

/** Makes a query the current one and moves the caret into it, if it is in the text: a live query need not be. */
export function selectQuery(name: string, { isFocused = false, view = {} }: Choice = {}): void {
  const query = queries().find((compiled) => compiled.name === name)
  choose(name, query ? { ...view, file: query.range.file } : view)
  if (query) reveal(query.name_range, isFocused)
}

/**
 * Makes a query the current one from a panel that shows it. The caret stays where it is if the rules would keep the query
 * current there; else it moves into the query.
 */
export function selectQueryFrom(name: string, view: Partial<View>): void {
  const next = follow(placed(), useCaret.getState().caret, chosen(placed(), name))
  const staysCurrent = next?.name === name && !next.isRepeated
  if (staysCurrent) choose(name, view)
  else selectQuery(name, { view })
}

/**
 * Goes to a range that concerns a query, such as a problem; the query becomes current unless the range is in another
 * one.
 */
export function revealOf(name: string | null, range: Query['range']): void {
  if (name !== null) choose(name, {})
  reveal(range, true)
}

/** Whether the caret is in the current query; false while the present text is not compiled. */
export function isUnderCaret(): boolean {
  const under = queryUnder(placed(), useCaret.getState().caret)
  return isCompiled() && under?.name === currentView().query && !under?.isRepeated
}

/** Applies the rules to the present caret; does nothing while the present text is not compiled. */
export function followCaret(): void {
  if (!isCompiled()) return
  if (current) setCurrent(follow(placed(), useCaret.getState().caret, current))
  else followAddress()
}

/** Applies the rules whenever the compilation, the caret or the address changes, while the workbench is open. */
export function useFollowedSelection(): void {
  const paths = useDocuments(useShallow(({ files }) => files.map(({ path }) => path)))
  const { query: selected, file: named } = useView()
  const pathsBefore = useRef<string[]>([])
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
    const missing = missingFile(named, paths, pathsBefore.current)
    pathsBefore.current = paths
    if (missing) notify({ tone: 'info', text: missing })
    if (paths.length > 0 && named && !paths.includes(named)) replaceView({ file: paths[0] })
  }, [paths, named])
}

function queries(): readonly Query[] {
  return useCompilationState.getState().compilation?.queries ?? []
}

/** All queries of the text, also those whose name an earlier one has. */
function placed(): readonly PlacedQuery[] {
  const repeated = useCompilationState.getState().compilation?.repeated ?? []
  return repeated.length === 0
    ? queries()
    : [...queries(), ...repeated.map((query) => ({ ...query, isRepeated: true }))]
}

function isCompiled(): boolean {
  return useCompilationState.getState().version === useDocuments.getState().version
}

/** Makes a query the current one, as a step that the back button returns from. */
function choose(name: string, view: Partial<View>): void {
  current = chosen(placed(), name)
  useRepeated.setState({ repeated: null })
  setView({
    ...(name === currentView().query ? {} : NO_DETAILS),
    ...view,
    query: name,
    stage: undefined,
    node: undefined,
  })
}

/** Makes a query the current one without a step of the back button. */
function setCurrent(next: CurrentQuery | null): void {
  current = next
  const repeated = next?.isRepeated ? repeatedAt(next) : null
  useRepeated.setState({ repeated })
  const name = repeated ? undefined : next?.name
  if (name !== currentView().query) replaceView({ ...NO_DETAILS, query: name })
}

/** Where a current query stands whose name an earlier one has. */
function repeatedAt({ name, position }: CurrentQuery): RepeatedQuery | null {
  const { repeated = [] } = useCompilationState.getState().compilation ?? {}
  const caret = useCaret.getState().caret
  const sameName = repeated.filter((query) => query.name === name && query.range.file === position?.file)
  return (queryUnder(sameName, caret) ?? sameName[0]) || null
}

/**
 * Makes the query that the address names the current one and moves the caret into it: at first, and after back or
 * forward.
 */
function followAddress(): void {
  const { file, query: named } = currentView()
  if (!named && queryUnder(placed(), useCaret.getState().caret)?.isRepeated) {
    setCurrent(follow(placed(), useCaret.getState().caret, current))
    return
  }
  setCurrent(atAddress(placed(), currentView()))
  const query = queries().find((compiled) => compiled.name === current?.name)
  if (!query || (file && query.range.file !== file) || isUnderCaret()) return
  const { start_line, start_column } = query.name_range
  reveal({ ...query.name_range, end_line: start_line, end_column: start_column })
}
