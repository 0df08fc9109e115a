/**
 * Drafts: what was typed and is not yet on the server, kept in the browser on every change.
 *
 * A text is typed → its draft is written → the server saves the text → the draft is removed. When the page opens again,
 * `reconcile` puts the remaining drafts over the server's files and says which were restored, and which meet a newer
 * text of the server (a conflict).
 *
 * Each tab writes drafts of its own, so that two tabs with one file never overwrite each other's. The drafts of a
 * closed tab are taken over by the next tab that opens the application, or by one in which it is open.
 */

/** The part of the browser's storage that is used here. */
export interface DraftStorage {
  getItem(key: string): string | null
  setItem(key: string, value: string): void
  removeItem(key: string): void
  keys(): readonly string[]
}

export interface Draft {
  /** The tab that it was typed in. */
  tab: string
  path: string
  text: string
  /** The revision the text was edited from; null for a file the server has never seen. */
  baseRevision: string | null
  /** When it was written, in milliseconds since 1970. */
  at: number
  /** The document of the live session that it was typed in. */
  live?: LiveDraft | undefined
}

/** The edits of a live session, by which they merge even if they are sent twice. */
export interface LiveDraft {
  /** The name of the document: edits of another one cannot merge. */
  document: string
  /** Its state as Yjs writes it, in base 64. */
  state: string
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
  /** By which the draft can merge with the server's text; its revision is then that of the draft. */
  live?: LiveDraft
}

export interface Reconciled {
  files: ReconciledFile[]
  restored: string[]
}

const PREFIX = 'piql:draft:'

export function writeDraft(storage: DraftStorage, application: string, draft: Draft): void {
  storage.setItem(key(application, draft), JSON.stringify(draft))
}

export function removeDraft(storage: DraftStorage, application: string, draft: Pick<Draft, 'tab' | 'path'>): void {
  storage.removeItem(key(application, draft))
}

/** The drafts of all tabs, the newest first; entries that are no drafts are ignored. */
export function readDrafts(storage: DraftStorage, application: string): Draft[] {
  return storage
    .keys()
    .filter((name) => name.startsWith(`${PREFIX}${application}:`))
    .flatMap((name) => {
      const draft = parsed(storage.getItem(name))
      return isDraft(draft) && key(application, draft) === name ? [draft] : []
    })
    .toSorted((one, another) => another.at - one.at)
}

/**
 * Takes over the drafts of closed tabs and returns all drafts of this tab. If a file has several drafts, this tab's own
 * one stays its text, else the newest one does; every other text becomes a file beside it (`copyPath`).
 */
export function takeOverDrafts(
  storage: DraftStorage,
  application: string,
  tab: string,
  isAlive: (tab: string) => boolean,
  files: readonly ServerFile[],
): Draft[] {
  const drafts = readDrafts(storage, application)
  const kept = drafts.filter((draft) => draft.tab === tab)
  const taken = [...files, ...kept].map(({ path }) => path)
  for (const orphan of drafts.filter((draft) => draft.tab !== tab && !isAlive(draft.tab))) {
    const isKnown = [...files, ...kept].some(({ path, text }) => path === orphan.path && text === orphan.text)
    const isTaken = kept.some(({ path }) => path === orphan.path)
    const draft = isTaken
      ? { ...orphan, tab, path: copyPath(orphan.path, taken), baseRevision: null }
      : { ...orphan, tab }
    if (!isKnown) {
      writeDraft(storage, application, draft) // first written, then removed: a crash in between loses nothing
      kept.push(draft)
      taken.push(draft.path)
    }
    removeDraft(storage, application, orphan)
  }
  return kept
}

/**
 * Puts drafts over the server's files. A draft equal to the server's text is ignored; one of an unknown file is a new
 * file.
 */
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
    if (draft.live && draft.baseRevision !== null) {
      const { path, text, baseRevision: revision, live } = draft
      return { path, text, savedText: file.text, revision, conflict: null, live }
    }
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

function key(application: string, { tab, path }: Pick<Draft, 'tab' | 'path'>): string {
  return `${PREFIX}${application}:${tab}:${path}`
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
  const { tab, path, text, baseRevision, at, live } = value as Partial<Record<keyof Draft, unknown>>
  return (
    typeof tab === 'string' &&
    typeof at === 'number' &&
    typeof path === 'string' &&
    typeof text === 'string' &&
    (baseRevision === null || typeof baseRevision === 'string') &&
    (live === undefined || isLiveDraft(live))
  )
}

function isLiveDraft(value: unknown): value is LiveDraft {
  if (typeof value !== 'object' || value === null) return false
  const { document, state } = value as Partial<Record<keyof LiveDraft, unknown>>
  return typeof document === 'string' && typeof state === 'string'
}
