/**
 * Drafts: what was typed and is not yet on the server, kept in the browser on every change.
 *
 * A file's life: typed → draft written → saved by the server → draft removed. When the page opens again, `reconcile`
 * lays the drafts over what the server sends and says which were restored and which meet a newer text (a conflict).
 */

/** The part of the browser's storage that is used here. */
export interface DraftStorage {
  getItem(key: string): string | null
  setItem(key: string, value: string): void
  removeItem(key: string): void
}

export interface Draft {
  path: string
  text: string
  /** The revision the text was edited from; null for a file the server has never seen. */
  baseRevision: string | null
  at: number
}

export interface ServerFile {
  path: string
  text: string
  revision: string
}

export interface ReconciledFile {
  path: string
  text: string
  savedText: string
  revision: string | null
  /** The server's newer text, when the draft was made from an older one. */
  conflict: ServerFile | null
}

export interface Reconciled {
  files: ReconciledFile[]
  restored: string[]
}

const PREFIX = 'piql:draft:'

export function writeDraft(storage: DraftStorage, workspace: string, draft: Draft): void {
  const paths = draftPaths(storage, workspace)
  storage.setItem(key(workspace, draft.path), JSON.stringify(draft))
  if (!paths.includes(draft.path)) storage.setItem(indexKey(workspace), JSON.stringify([...paths, draft.path]))
}

export function removeDraft(storage: DraftStorage, workspace: string, path: string): void {
  storage.removeItem(key(workspace, path))
  const paths = draftPaths(storage, workspace).filter((each) => each !== path)
  if (paths.length > 0) storage.setItem(indexKey(workspace), JSON.stringify(paths))
  else storage.removeItem(indexKey(workspace))
}

/** Removes the draft of a text that the server has; another text, which another tab may have typed, stays. */
export function removeSavedDraft(storage: DraftStorage, workspace: string, { path, text }: Pick<Draft, 'path' | 'text'>): void {
  const draft = parsed(storage.getItem(key(workspace, path)))
  if (!isDraft(draft) || draft.text === text) removeDraft(storage, workspace, path)
}

export function readDrafts(storage: DraftStorage, workspace: string): Draft[] {
  return draftPaths(storage, workspace).flatMap((path) => {
    const draft = parsed(storage.getItem(key(workspace, path)))
    return isDraft(draft) && draft.path === path ? [draft] : []
  })
}

/** Lays drafts over the server's files; a draft equal to the server's text is no draft any more. */
export function reconcile(files: readonly ServerFile[], drafts: readonly Draft[]): Reconciled {
  const byPath = new Map(drafts.map((draft) => [draft.path, draft]))
  const restored: string[] = []
  const reconciled = files.map((file): ReconciledFile => {
    const draft = byPath.get(file.path)
    byPath.delete(file.path)
    if (!draft || draft.text === file.text) {
      return { path: file.path, text: file.text, savedText: file.text, revision: file.revision, conflict: null }
    }
    restored.push(file.path)
    const isOld = draft.baseRevision !== file.revision
    return {
      path: file.path,
      text: draft.text,
      savedText: file.text,
      revision: file.revision,
      conflict: isOld ? file : null,
    }
  })
  for (const draft of byPath.values()) {
    restored.push(draft.path)
    reconciled.push({ path: draft.path, text: draft.text, savedText: '', revision: null, conflict: null })
  }
  return { files: reconciled.toSorted((a, b) => comparePaths(a.path, b.path)), restored }
}

/** `queries/a.piql` becomes `queries/a.mine.piql`, or `a.mine2.piql` where that is taken. */
export function copyPath(path: string, taken: readonly string[]): string {
  const stem = path.replace(/\.piql$/, '')
  for (let count = 1; ; count += 1) {
    const candidate = `${stem}.mine${count === 1 ? '' : count}.piql`
    if (!taken.includes(candidate)) return candidate
  }
}

/** Files of a folder before its sub-folders, each by name. */
export function comparePaths(a: string, b: string): number {
  const depth = a.split('/').length - b.split('/').length
  return depth !== 0 && parentOf(a) !== parentOf(b) ? depth : a.localeCompare(b)
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')))
}

function draftPaths(storage: DraftStorage, workspace: string): string[] {
  const paths = parsed(storage.getItem(indexKey(workspace)))
  return Array.isArray(paths) ? paths.filter((path): path is string => typeof path === 'string') : []
}

function key(workspace: string, path: string): string {
  return `${PREFIX}${workspace}:${path}`
}

function indexKey(workspace: string): string {
  return `${PREFIX}${workspace}`
}

function parsed(text: string | null): unknown {
  if (text === null) return null
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function isDraft(value: unknown): value is Draft {
  if (typeof value !== 'object' || value === null) return false
  const { path, text, baseRevision } = value as Partial<Record<keyof Draft, unknown>>
  return typeof path === 'string' && typeof text === 'string' && (baseRevision === null || typeof baseRevision === 'string')
}
