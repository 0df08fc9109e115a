/**
 * The texts of the open application: one source for the editor, the compiler and the panels.
 *
 * Every change is written to the browser's storage before anything else happens, compiled after a breath and saved
 * to the server after a pause (see compile-loop.ts and saving.ts).
 */
import { create } from 'zustand'
import type { SourceFile } from '../api/types'
import { browserStorage as storage } from '../app/browser-storage'
import {
  comparePaths,
  copyPath,
  reconcile,
  removeDraft,
  type ServerFile,
  takeOverDrafts,
  writeDraft,
} from '../logic/drafts'
import type { TextEdit } from '../logic/shapes'
import { applyEdits, editsByFile } from '../logic/text-edits'
import { isAlive, tab } from './tab'

export type SaveState = 'saved' | 'changed' | 'saving' | 'conflict' | 'failed'

export interface TextDocument {
  path: string
  text: string
  savedText: string
  /** The revision of `savedText`; null while the server has no such file. */
  revision: string | null
  saveState: SaveState
  conflict: ServerFile | null
}

/** When a text last changed: from here the time to its diagnostics is measured. */
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

/** Editors that hold the text in a model of their own, told of changes that come from elsewhere. */
type Applier = (path: string, edits: readonly TextEdit[] | null, text: string) => boolean
let applier: Applier | null = null

export function setApplier(next: Applier | null): void {
  applier = next
}

/**
 * Takes the server's files: with the drafts over them at first, and later laid under what is open here.
 *
 * Returns the paths of open files that were saved here and have followed a newer text of the server.
 */
export function openApplication(application: string, files: readonly ServerFile[]): string[] {
  const open = useDocuments.getState()
  if (open.application === application) {
    const now = rebased(open.files, files).toSorted((a, b) => comparePaths(a.path, b.path))
    if (now.length === open.files.length && now.every((file, at) => file === open.files[at])) return []
    useDocuments.setState({ files: now, version: open.version + 1 })
    forgetDraftsOfSaved(application)
    const before = new Map(open.files.map((file) => [file.path, file]))
    return now
      .filter(
        ({ path, text, saveState }) => saveState === 'saved' && before.has(path) && before.get(path)?.text !== text,
      )
      .map(({ path }) => path)
  }
  const { files: reconciled, restored } = reconcile(files, takeOverDrafts(storage, application, tab, isAlive, files))
  useDocuments.setState((state) => ({
    application,
    restored,
    version: state.version + 1,
    files: reconciled.map((file) => ({
      ...file,
      saveState: file.conflict
        ? 'conflict'
        : file.text === file.savedText && file.revision !== null
          ? 'saved'
          : 'changed',
    })),
  }))
  forgetDraftsOfSaved(application)
  return []
}

/** A draft that the server has already would, once the server has another text, be taken for a conflict. */
function forgetDraftsOfSaved(application: string): void {
  for (const file of useDocuments.getState().files)
    if (file.saveState === 'saved') removeDraft(storage, application, { tab, path: file.path })
}

/**
 * The open files over the server's of now: what is unsaved here stays, what is saved follows the server, and where both
 * have changed the reader is asked.
 */
function rebased(open: readonly TextDocument[], server: readonly ServerFile[]): TextDocument[] {
  const byPath = new Map(server.map((file) => [file.path, file]))
  const kept = open.flatMap((file): TextDocument[] => {
    const theirs = byPath.get(file.path)
    byPath.delete(file.path)
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

export function documentAt(path: string): TextDocument | undefined {
  return useDocuments.getState().files.find((file) => file.path === path)
}

export function sourceFiles(): SourceFile[] {
  return useDocuments.getState().files.map(({ path, text }) => ({ path, text }))
}

/** The user (or an edit) changed a text. The draft is written first, so that nothing typed is ever lost. */
export function setText(path: string, text: string): void {
  const { application, files, version } = useDocuments.getState()
  const file = files.find((candidate) => candidate.path === path)
  if (!file || file.text === text || application === null) return
  writeDraft(storage, application, { tab, path, text, baseRevision: file.revision, at: Date.now() })
  const saveState = file.conflict ? 'conflict' : text === file.savedText && file.revision !== null ? 'saved' : 'changed'
  if (saveState === 'saved') removeDraft(storage, application, { tab, path })
  performance.mark(TYPED)
  useDocuments.setState({ files: replaced(files, { ...file, text, saveState }), version: version + 1 })
}

/** Edits of one or several files, undoable where an editor holds them. */
export function applyTextEdits(edits: readonly TextEdit[]): void {
  for (const [path, group] of editsByFile(edits)) {
    const file = documentAt(path)
    if (!file) continue
    const text = applyEdits(file.text, group)
    if (!applier?.(path, group, text)) setText(path, text)
  }
}

/** Takes a text as it is on the server, as one undoable change. */
export function replaceText(path: string, text: string): void {
  if (!applier?.(path, null, text)) setText(path, text)
}

export function markSaving(path: string): void {
  update(path, (file) => ({ ...file, saveState: 'saving' }))
}

/** What was sent is on the server now; what was typed meanwhile still waits. */
export function markSaved(saved: ServerFile): void {
  const { application } = useDocuments.getState()
  update(saved.path, (file) => {
    const isWhole = file.text === saved.text
    if (application !== null) {
      if (isWhole) removeDraft(storage, application, { tab, path: saved.path })
      else
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
      saveState: isWhole ? 'saved' : 'changed',
    }
  })
}

export function markFailed(path: string): void {
  update(path, (file) => ({ ...file, saveState: file.text === file.savedText ? 'saved' : 'failed' }))
}

export function markConflict(path: string, theirs: ServerFile): void {
  update(path, (file) => ({ ...file, saveState: 'conflict', conflict: theirs }))
}

/** The server has no such file any more: the text that is here is saved as a new one. */
export function markUnknown(path: string): void {
  update(path, (file) => ({ ...file, revision: null, conflict: null, saveState: 'changed' }))
}

/** Takes the server's text; what was typed here can still be undone in the editor. */
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

/** Takes the server's text, and keeps what was typed here as a file of its own beside it; returns its path. */
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

/** Hears of drafts that were restored, once; gives the way back to the texts that the server had then. */
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

export function addDocument(file: ServerFile): void {
  useDocuments.setState(({ files, version }) => ({
    version: version + 1,
    files: [...files.filter((openFile) => openFile.path !== file.path), savedDocument(file)].toSorted((a, b) =>
      comparePaths(a.path, b.path),
    ),
  }))
}

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
