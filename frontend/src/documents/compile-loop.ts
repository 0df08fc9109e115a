/**
 * Compiles the texts as they are typed. There is one request at a time: a newer text aborts the request of the older
 * one, unless there was no answer for a while because keys came faster; then it waits for that, but not for ever. The
 * last answer stays in `useCompilationState` until the next one replaces it. Where many queries are compiled again,
 * `useEarlyBounds` has their bounds meanwhile, at first those in sight in the text: what is asked about the texts of a
 * compilation must not mix two of them, so only the bounds above queries are drawn from there.
 */
import { create } from 'zustand'
import { ApiError, Unreachable } from '../api/client'
import { compileInParts } from '../api/compiling'
import type { BoundedQuery, Compilation, Query, SourceFile } from '../api/types'
import { sourceFiles, useDocuments } from './documents'

export interface CompilationState {
  /** The application that the texts are of. */
  application: string | null
  compilation: Compilation | null
  /** The texts that `compilation` is of, and the version of the documents that they are. */
  files: SourceFile[]
  version: number
  /** The query whose stages `compilation` holds; those of the others are empty. */
  stagesOf: string | null
  /** Why the text as it is now could not be compiled; `compilation` is then of an earlier one. */
  error: string | null
}

const NOTHING: CompilationState = {
  application: null,
  compilation: null,
  files: [],
  version: -1,
  stagesOf: null,
  error: null,
}

const NONE_EARLY: ReadonlyMap<string, BoundedQuery> = new Map()

export const useCompilationState = create<CompilationState>(() => NOTHING)

/** Bounds of the answer that is under way, by query; empty once it is whole, or where it has no such part. */
export const useEarlyBounds = create<ReadonlyMap<string, BoundedQuery>>(() => NONE_EARLY)

/** Changes within this time, such as all edits of a rename, are compiled together. */
const PAUSE_MS = 8
const RETRY_MS = 1000
/** So many queries are answered first at most: each takes a millisecond, for which the others wait. */
const MOST_FIRST = 16
/** After so long without an answer, the one that is under way is waited for, whatever is typed meanwhile. */
const MOST_MS_UNANSWERED = 250
/** After so long it is given up where there is a newer text: it may never be answered. */
const MOST_MS_WAITED = 5000
/** How long `currentCompilation` waits for an answer. */
const WAIT_MS = 2000

let timer: ReturnType<typeof setTimeout> | undefined
/** Aborts the request that is under way. */
let running: AbortController | null = null
/** When a text was first asked about since the last answer, as `performance.now` counts; null for none. */
let askedAt: number | null = null
/** Whether there is a newer text than that of the request that is waited for. */
let isNextWanted = false
/** Whoever waits for the next answer of the compiler. */
let waiting: (() => void)[] = []
/** The query whose stages the next request asks for; '' for none, null for those of all queries. */
let stagesWanted: string | null = null
/** Gives the names of the queries that somebody sees in the text. */
let inSight: (queries: readonly Query[]) => string[] = () => []

/** Compiles now and after every change of a text, until the returned function is called. */
export function startCompiling(): () => void {
  const stop = useDocuments.subscribe((state, previous) => {
    if (state.version === previous.version) return
    if (state.application !== previous.application) giveUp()
    forgetAnother()
    schedule(state.application === previous.application ? PAUSE_MS : 0)
  })
  forgetAnother()
  schedule(0)
  return () => {
    stop()
    clearTimeout(timer)
    giveUp()
    endWaiting()
  }
}

/** Nobody waits for the request that is under way any more. */
function giveUp(): void {
  running?.abort()
  running = null
  askedAt = null
  isNextWanted = false
}

/** Drops what was compiled of another application than the one that is open. */
function forgetAnother(): void {
  if (useCompilationState.getState().application === useDocuments.getState().application) return
  showEarly(NONE_EARLY)
  useCompilationState.setState(NOTHING)
}

/**
 * Compiles again although no text has changed, because the server has come back. Resolves when the compiler has
 * answered or refused the text; where it fails it is asked again. What was asked before is not waited for, because its
 * error would be an old one.
 */
export function compileAgain(): Promise<void> {
  if (useDocuments.getState().application === null) return Promise.resolve()
  giveUp()
  schedule(0)
  return new Promise((resolve) => waiting.push(resolve))
}

function endWaiting(): void {
  const resolved = waiting
  waiting = []
  for (const resolve of resolved) resolve()
}

/** Compiles with the stages of one query from now on: stages are large, and only the current query's are shown. */
export function showStagesOf(query: string | null): void {
  if (stagesWanted === query) return
  stagesWanted = query
  schedule(0)
}

/** Answers the queries first from now on that a function finds to be in sight; null for none. */
export function answerFirst(find: ((queries: readonly Query[]) => string[]) | null): void {
  inSight = find ?? (() => [])
}

/** The compilation of the present texts, after waiting for it; null if it does not arrive in time. */
export function currentCompilation(): Promise<Compilation | null> {
  const isCurrent = () => useCompilationState.getState().version === useDocuments.getState().version
  if (isCurrent()) return Promise.resolve(useCompilationState.getState().compilation)
  return new Promise((resolve) => {
    const finish = (compilation: Compilation | null) => {
      clearTimeout(limit)
      stop()
      resolve(compilation)
    }
    const limit = setTimeout(() => finish(null), WAIT_MS)
    const stop = useCompilationState.subscribe((state) => {
      if (isCurrent()) finish(state.compilation)
    })
  })
}

function schedule(pauseMs: number): void {
  clearTimeout(timer)
  timer = setTimeout(() => void compile(), pauseMs)
}

function showEarly(queries: ReadonlyMap<string, BoundedQuery>): void {
  useEarlyBounds.setState(queries, true)
}

async function compile(): Promise<void> {
  const { version, application } = useDocuments.getState()
  if (application === null) return endWaiting()
  if (running && askedAt !== null) {
    const unansweredMs = performance.now() - askedAt
    if (unansweredMs > MOST_MS_UNANSWERED && unansweredMs < MOST_MS_WAITED) {
      isNextWanted = true
      schedule(MOST_MS_WAITED - unansweredMs)
      return
    }
    if (unansweredMs >= MOST_MS_WAITED) giveUp()
  }
  askedAt ??= performance.now()
  const files = sourceFiles()
  const stagesOf = stagesWanted
  running?.abort()
  const request = new AbortController()
  running = request
  try {
    const first = inSight(useCompilationState.getState().compilation?.queries ?? []).slice(0, MOST_FIRST)
    let early = NONE_EARLY
    const compilation = await compileInParts({ files, stages_of: stagesOf, first }, request.signal, (queries) => {
      early = new Map([...early, ...queries.map((query) => [query.name, query] as const)])
      if (running === request) showEarly(early)
    })
    if (running !== request) return
    showEarly(NONE_EARLY)
    end()
    useCompilationState.setState({ application, compilation, files, version, stagesOf, error: null })
  } catch (error) {
    if (running !== request || request.signal.aborted) return
    showEarly(NONE_EARLY)
    end()
    useCompilationState.setState({ error: error instanceof Error ? error.message : String(error) })
    if (error instanceof Unreachable || (error instanceof ApiError && error.status >= 500)) return schedule(RETRY_MS)
  }
  endWaiting()
}

/** The request that was under way is answered; a newer text is compiled now. */
function end(): void {
  const isNext = isNextWanted
  running = null
  askedAt = null
  isNextWanted = false
  if (isNext) schedule(0)
}
