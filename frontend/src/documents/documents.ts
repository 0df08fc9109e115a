/**
 * The texts of the open application: one source for the editor, the compiler and the panels.
 *
 *     typed → setText → draft in the browser's storage, at once (logic/drafts.ts)
 *                     → compiled after milliseconds (compile-loop.ts)
 *                     → saved to the server after a pause (saving.ts) → markSaving, then markSaved, markFailed or markConflict
 *
 * All state is in `useDocuments` and changed only by the functions here.
 */
import { create } from 'zustand'
import type { SourceFile } from '../api/types'
import { browserStorage as storage } from '../app/browser-storage'
import {
  comparePaths,
  copyPath,
  type Draft,
  type LiveDraft,
  type ReconciledFile,
  readDrafts,
  reconcile,
  removeDraft,
  type ServerFile,
  takeOverDrafts,
  writeDraft,
} from '../logic/drafts'
import type { TextEdit } from '../logic/shapes'
import { applyEdits, editsByFile } from '../logic/text-edits'
import { afterPaint } from './after-paint'
import { isAlive, tab } from './tab'

/**
 * `changed`: waits to be saved. `conflict`: the server has a newer text, and the reader must choose. `failed`: the
 * server did not take the text, which is kept as a draft.
 */
export type SaveState = 'saved' | 'changed' | 'saving' | 'conflict' | 'failed'

export interface TextDocument {
  path: string
  text: string
  savedText: string
  /** The revision of `savedText`; null while the server has no such file. */
  revision: string | null
  saveState: SaveState
  /** The server's newer text while there is a conflict. */
  conflict: ServerFile | null
}

/** The name of the performance mark at the last change of a text; the time to its diagnostics is measured from there. */
export const TYPED = 'piql:typed'

interface Documents {
  application: string | null
  files: readonly TextDocument[]
  /** Counts changes of any text. */
  version: number
  /** Paths brought back from drafts at the last load. */
  restored: readonly string[]
}

export const useDocuments = create<Documents>(() => ({ application: null, files: [], version: 0, restored: [] }))

/** The documents a frame later, for what is drawn of each text and may come after the key that changed it. */
export const usePaintedDocuments = create<Documents>(() => useDocuments.getState())
useDocuments.subscribe(() => afterPaint('documents', () => usePaintedDocuments.setState(useDocuments.getState())))

let typedAt = Number.NEGATIVE_INFINITY

/** When a text last changed, as `performance.now` counts; -Infinity if none has. */
export function lastTyped(): number {
  return typedAt
}

/**
 * Applies a change to a text that an editor holds, so that it can be undone there: `edits`, or with null the whole
 * `text`. False if no editor holds the file.
 */
type Applier = (path: string, edits: readonly TextEdit[] | null, text: string) => boolean
let applier: Applier | null = null

/** Connects the editor, or with null disconnects it. */
export function setApplier(next: Applier | null): void {
  applier = next
}

/** A text that several people edit at once: its live session saves it, and nothing else does. */
export interface LiveText {
  /** Whether something that was typed here is not saved. */
  hasOwnEdits(): boolean
  draft(): LiveDraft
  /** Takes what a closed tab has typed; false where it cannot merge. */
  merge(draft: Draft, savedText: string): boolean
}

const liveTexts = new Map<string, LiveText>()
/** By path, drafts of a live session that was cut off: they merge in a session, or are saved as any draft. */
const draftsToMerge = new Map<string, LiveDraft>()

/** From now on the live session saves a text; with null it is saved as any other. */
export function setLive(path: string, live: LiveText | null): void {
  if (live) liveTexts.set(path, live)
  else liveTexts.delete(path)
}

export function isLive(path: string): boolean {
  return liveTexts.has(path)
}

/** Whether a live session alone decides what becomes of a text. */
export function isSavedLive(path: string): boolean {
  return liveTexts.has(path) || draftsToMerge.has(path)
}

export function draftToMerge(path: string): LiveDraft | undefined {
  return draftsToMerge.get(path)
}

/** The paths of all drafts that wait for a live session. */
export function pathsToMerge(): string[] {
  return [...draftsToMerge.keys()]
}

/** A draft has merged, or cannot merge: then it is saved as any draft. */
export function forgetDraftToMerge(path: string): void {
  draftsToMerge.delete(path)
}

/**
 * Takes the server's files. When the application is opened, drafts of unsaved changes are put over them. When it is open
 * already, saved files take the server's text and unsaved ones stay (`rebased`), and drafts of a tab that was closed
 * meanwhile are put over them.
 *
 * Returns the paths of open files that took a newer text of the server.
 */
export function openApplication(application: string, files: readonly ServerFile[]): string[] {
  const open = useDocuments.getState()
  if (open.application === application) return takeNewerFiles(application, files)
  liveTexts.clear()
  draftsToMerge.clear()
  const { files: reconciled, restored } = reconcile(files, takeOverDrafts(storage, application, tab, isAlive, files))
  useDocuments.setState((state) => ({
    application,
    restored,
    version: state.version + 1,
    files: reconciled.map(restoredDocument),
  }))
  forgetDraftsOfSaved(application)
  return []
}

function takeNewerFiles(application: string, files: readonly ServerFile[]): string[] {
  const { files: open, version } = useDocuments.getState()
  const adopted = draftsOfClosedTabs(application, files)
  const now = [...rebased(open, files).filter(({ path }) => adopted.every((file) => file.path !== path)), ...adopted]
  now.sort((a, b) => comparePaths(a.path, b.path))
  if (now.length === open.length && now.every((file, index) => file === open[index])) return []
  useDocuments.setState({ files: now, version: version + 1 })
  if (adopted.length > 0) useDocuments.setState({ restored: adopted.map(({ path }) => path) })
  forgetDraftsOfSaved(application)
  const before = new Map(open.map((file) => [file.path, file]))
  return now
    .filter(({ path, text, saveState }) => saveState === 'saved' && before.has(path) && before.get(path)?.text !== text)
    .map(({ path }) => path)
}

/** Takes over the drafts of tabs that were closed since the last read; the files with them. */
function draftsOfClosedTabs(application: string, files: readonly ServerFile[]): TextDocument[] {
  const unsaved = readDrafts(storage, application).filter((draft) => draft.tab === tab)
  const adopted = takeOverDrafts(storage, application, tab, isAlive, files).filter((draft) =>
    unsaved.every(({ path }) => path !== draft.path),
  )
  const { files: reconciled, restored } = reconcile(
    files,
    adopted.flatMap((draft) => mergedOrCopied(application, draft, files)),
  )
  return reconciled.filter(({ path }) => restored.includes(path)).map(restoredDocument)
}

/** The draft of a closed tab for a text that is edited live: it merges there, or else becomes a file beside it. */
function mergedOrCopied(application: string, draft: Draft, files: readonly ServerFile[]): Draft[] {
  const live = liveTexts.get(draft.path)
  if (!live) return [draft]
  removeDraft(storage, application, draft)
  if (live.merge(draft, documentAt(draft.path)?.savedText ?? '')) return []
  const taken = files.map(({ path }) => path)
  const copy = { ...draft, path: copyPath(draft.path, taken), baseRevision: null, live: undefined }
  writeDraft(storage, application, copy)
  return [copy]
}

function restoredDocument({ live, ...file }: ReconciledFile): TextDocument {
  if (live) {
    draftsToMerge.set(file.path, live)
    return { ...file, saveState: 'changed', conflict: null }
  }
  const isSaved = file.text === file.savedText && file.revision !== null
  return { ...file, saveState: file.conflict ? 'conflict' : isSaved ? 'saved' : 'changed' }
}

/**
 * Removes drafts of texts that the server has: after the next change on the server, such a draft would look like a
 * conflict.
 */
function forgetDraftsOfSaved(application: string): void {
  for (const file of useDocuments.getState().files)
    if (file.saveState === 'saved') removeDraft(storage, application, { tab, path: file.path })
}

/**
 * The open files after the server's files were read again: unsaved texts stay, saved ones become the server's, and
 * where both have changed there is a conflict. A saved file that the server no longer has is closed; an unsaved one
 * becomes a new file.
 */
function rebased(open: readonly TextDocument[], server: readonly ServerFile[]): TextDocument[] {
  const byPath = new Map(server.map((file) => [file.path, file]))
  const kept = open.flatMap((file): TextDocument[] => {
    const theirs = byPath.get(file.path)
    byPath.delete(file.path)
    if (isSavedLive(file.path) && theirs) return [file]
    const isSaved = file.saveState === 'saved'
    if (!theirs && file.revision === null) return [file]
    if (!theirs) return isSaved ? [] : [{ ...file, revision: null, conflict: null, saveState: 'changed' }]
    if (file.saveState === 'saving' || theirs.revision === file.revision) return [file]
    if (isSaved || file.text === theirs.text) return [savedDocument(theirs)]
    return [file.conflict?.revision === theirs.revision ? file : { ...file, saveState: 'conflict', conflict: theirs }]
  })
  return [...kept, ...[...byPath.values()].map(savedDocument)]
}

function savedDocument(file: ServerFile): TextDocument {
  return { ...file, savedText: file.text, saveState: 'saved', conflict: null }
}

/** The open file at a path. */
export function documentAt(path: string): TextDocument | undefined {
  return useDocuments.getState().files.find((file) => file.path === path)
}

/** All present texts, as the API takes them. */
export function sourceFiles(): SourceFile[] {
  return useDocuments.getState().files.map(({ path, text }) => ({ path, text }))
}

/** Takes a changed text of an open file. The draft is written first, so that nothing typed is ever lost. */
export function setText(path: string, text: string): void {
  const { application, files, version } = useDocuments.getState()
  const file = files.find((candidate) => candidate.path === path)
  if (!file || file.text === text || application === null) return
  const live = liveTexts.get(path)
  if (!live || live.hasOwnEdits())
    writeDraft(storage, application, {
      tab,
      path,
      text,
      baseRevision: file.revision,
      at: Date.now(),
      live: live?.draft() ?? draftsToMerge.get(path),
    })
  const saveState = file.conflict ? 'conflict' : text === file.savedText && file.revision !== null ? 'saved' : 'changed'
  if (saveState === 'saved') removeDraft(storage, application, { tab, path })
  performance.mark(TYPED)
  typedAt = performance.now()
  useDocuments.setState({ files: replaced(files, { ...file, text, saveState }), version: version + 1 })
}

/** Applies edits of one or several files, in the editor where it holds them, so that they can be undone. */
export function applyTextEdits(edits: readonly TextEdit[]): void {
  for (const [path, group] of editsByFile(edits)) {
    const file = documentAt(path)
    if (!file) continue
    const text = applyEdits(file.text, group)
    if (!applier?.(path, group, text)) setText(path, text)
  }
}

/** Replaces the text of an open file, as one change that can be undone. */
export function replaceText(path: string, text: string): void {
  if (!applier?.(path, null, text)) setText(path, text)
}

export function markSaving(path: string): void {
  update(path, (file) => ({ ...file, saveState: 'saving' }))
}

/** The server has saved `saved`; what was typed since it was sent still waits. */
export function markSaved(saved: ServerFile): void {
  const { application } = useDocuments.getState()
  update(saved.path, (file) => {
    const isUpToDate = file.text === saved.text
    if (application !== null) {
      if (isUpToDate) removeDraft(storage, application, { tab, path: saved.path })
      else if (!isLive(saved.path))
        writeDraft(storage, application, {
          tab,
          path: saved.path,
          text: file.text,
          baseRevision: saved.revision,
          at: Date.now(),
        })
    }
    return {
      ...file,
      savedText: saved.text,
      revision: saved.revision,
      conflict: null,
      saveState: isUpToDate ? 'saved' : 'changed',
    }
  })
}

/** The server did not take the text; one that was typed back to the saved text needs no save. */
export function markFailed(path: string): void {
  update(path, (file) => ({ ...file, saveState: file.text === file.savedText ? 'saved' : 'failed' }))
}

export function markConflict(path: string, theirs: ServerFile): void {
  update(path, (file) => ({ ...file, saveState: 'conflict', conflict: theirs }))
}

/** The server no longer has the file: the text here will be saved as a new one. */
export function markUnknown(path: string): void {
  update(path, (file) => ({ ...file, revision: null, conflict: null, saveState: 'changed' }))
}

/** Ends a conflict with the server's text; the text that was here comes back by undo in the editor. */
export function takeTheirs(path: string): void {
  const theirs = documentAt(path)?.conflict
  if (!theirs) return
  update(path, (file) => ({
    ...file,
    savedText: theirs.text,
    revision: theirs.revision,
    conflict: null,
    saveState: 'changed',
  }))
  useDocuments.setState(({ version }) => ({ version: version + 1 }))
  replaceText(path, theirs.text)
}

/**
 * Ends a conflict with the server's text and keeps the text from here as a new file; its path, or null without a
 * conflict.
 */
export function keepMineAsCopy(path: string): string | null {
  const mine = documentAt(path)
  if (!mine?.conflict) return null
  const { application, files, version } = useDocuments.getState()
  const copy = copyPath(
    path,
    files.map((file) => file.path),
  )
  if (application !== null)
    writeDraft(storage, application, { tab, path: copy, text: mine.text, baseRevision: null, at: Date.now() })
  const added: TextDocument = {
    path: copy,
    text: mine.text,
    savedText: '',
    revision: null,
    saveState: 'changed',
    conflict: null,
  }
  useDocuments.setState({
    files: [...files, added].toSorted((a, b) => comparePaths(a.path, b.path)),
    version: version + 1,
  })
  takeTheirs(path)
  return copy
}

/**
 * The paths of restored drafts, which are returned only once, and a function that discards the drafts for the saved
 * texts.
 */
export function takeRestored(): { paths: readonly string[]; discard: () => void } {
  const { restored: paths } = useDocuments.getState()
  useDocuments.setState({ restored: [] })
  const saved = paths.flatMap((path) => {
    const file = documentAt(path)
    return file && file.revision !== null ? [{ path, text: file.savedText }] : []
  })
  const discard = () => {
    for (const { path, text } of saved) if (documentAt(path)) replaceText(path, text)
  }
  return { paths, discard }
}

/** Opens a file that was created on the server; replaces an open one of the same path. */
export function addDocument(file: ServerFile): void {
  useDocuments.setState(({ files, version }) => ({
    version: version + 1,
    files: [...files.filter((openFile) => openFile.path !== file.path), savedDocument(file)].toSorted((a, b) =>
      comparePaths(a.path, b.path),
    ),
  }))
}

/** Closes a file that was deleted on the server, and forgets its draft. */
export function removeDocument(path: string): void {
  const { application } = useDocuments.getState()
  if (application !== null) removeDraft(storage, application, { tab, path })
  useDocuments.setState(({ files, version }) => ({
    version: version + 1,
    files: files.filter((file) => file.path !== path),
  }))
}

function update(path: string, change: (file: TextDocument) => TextDocument): void {
  useDocuments.setState(({ files }) => ({ files: files.map((file) => (file.path === path ? change(file) : file)) }))
}

function replaced(files: readonly TextDocument[], file: TextDocument): TextDocument[] {
  return files.map((openFile) => (openFile.path === file.path ? file : openFile))
}
