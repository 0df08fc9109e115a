/** Saves changed texts to the server: a while after the last key, or at once when asked; one save after the other. */
import { ApiError, answered, api, messageOf, Unreachable } from '../api/client'
import { allPages } from '../api/pages'
import type { Application, ApplicationFile } from '../api/types'
import { notify } from '../app/notices'
import {
  documentAt,
  markConflict,
  markFailed,
  markSaved,
  markSaving,
  markUnknown,
  type TextDocument,
  useDocuments,
} from './documents'

const PAUSE_MS = 1200
const RETRY_MS = 3000
const PATIENCE_MS = 30_000

let timer: ReturnType<typeof setTimeout> | undefined
/** The save under way: the next begins behind it, or it would be based on a revision that is about to be replaced. */
let underWay: Promise<void> = Promise.resolve()
/** Counts the saves that ended: what was read from the server before one of them may be older than it. */
let ended = 0
/** What was sent last, by application and path: when the answer got lost, the server's newer text is still this page's own. */
const sent = new Map<string, string>()
let lastRefusal = ''

/** Watches the documents and saves what changes, until the function that it returns is called. */
export function startSaving(): () => void {
  const stop = useDocuments.subscribe((state, previous) => {
    if (state.version !== previous.version && state.files.some(waits)) scheduleSave(PAUSE_MS)
  })
  const onHidden = () => {
    if (document.visibilityState === 'hidden') void saveChanged()
  }
  document.addEventListener('visibilitychange', onHidden)
  if (useDocuments.getState().files.some(waits)) scheduleSave(PAUSE_MS)
  return () => {
    stop()
    document.removeEventListener('visibilitychange', onHidden)
    void saveChanged()
  }
}

/** Saves at once what has changed. */
export function saveChanged(): Promise<void> {
  clearTimeout(timer)
  underWay = underWay.then(saveEach)
  return underWay
}

/** Notes that a file was made or deleted on the server: an answer that was requested earlier may not show it yet. */
export function tellWritten(): void {
  ended += 1
}

/** The revisions that the texts here were edited from, once all are on the server; null while one is not. */
export function savedRevisions(): Record<string, string> | null {
  const { files } = useDocuments.getState()
  const entries = files.flatMap(({ path, revision, saveState }) =>
    revision !== null && saveState === 'saved' ? [[path, revision] as const] : [],
  )
  return entries.length === files.length ? Object.fromEntries(entries) : null
}

/** A save is tried again when the server comes back. */
export function saveAgain(): void {
  if (useDocuments.getState().files.some(waits)) scheduleSave(0)
}

/** Reads an application while no save is under way. If a save ends meanwhile, the answer may be old: it reads again. */
export async function readApplication(application: string, signal: AbortSignal): Promise<Application> {
  for (;;) {
    await underWay
    const before = ended
    const read = await readAll(application, signal)
    if (before === ended) return read
  }
}

/** An application comes with its files by the page. */
async function readAll(application: string, signal: AbortSignal): Promise<Application> {
  let last: Application | undefined
  const files = await allPages(async (cursor) => {
    last = await answered(
      api.GET('/api/applications/{application}', {
        params: { path: { application }, query: { cursor } },
        signal,
      }),
    )
    return { items: last.files, next: last.next }
  })
  return { id: application, title: last?.title ?? application, files, next: null }
}

function scheduleSave(pauseMs: number): void {
  clearTimeout(timer)
  timer = setTimeout(() => void saveChanged(), pauseMs)
}

function waits(file: TextDocument): boolean {
  return file.saveState === 'changed' || file.saveState === 'failed'
}

async function saveEach(): Promise<void> {
  for (const { path } of useDocuments.getState().files.filter(waits)) {
    const file = documentAt(path)
    if (file && waits(file)) await save(file)
  }
}

async function save(file: TextDocument): Promise<void> {
  const { path } = file
  const { application } = useDocuments.getState()
  if (application === null) return
  markSaving(path)
  try {
    const saved = await send(application, file)
    markSaved({ path, text: saved.text, revision: saved.revision })
    lastRefusal = ''
    if (documentAt(path)?.saveState === 'changed') scheduleSave(PAUSE_MS)
  } catch (error) {
    refused(path, error)
  } finally {
    ended += 1
  }
}

function send(application: string, { path, text, revision }: TextDocument): Promise<ApplicationFile> {
  const key = `${application}/${path}`
  const before = sent.get(key)
  const signal = AbortSignal.timeout(PATIENCE_MS)
  sent.set(key, text)
  const call =
    revision === null
      ? api.POST('/api/applications/{application}/files', {
          params: { path: { application } },
          body: { path, text },
          signal,
        })
      : api.PUT('/api/applications/{application}/files/{path}', {
          params: { path: { application, path } },
          body: { text, base_revision: revision },
          signal,
        })
  return answered(call).catch((error: unknown) => {
    const theirs = error instanceof ApiError && error.status === 409 ? error.current : null
    if (theirs && (theirs.text === before || theirs.text === text)) return theirs
    throw error
  })
}

/** What came of a save that did not succeed; the text itself is safe in its draft. */
function refused(path: string, error: unknown): void {
  if (error instanceof Unreachable) {
    markFailed(path)
    scheduleSave(RETRY_MS)
  } else if (error instanceof ApiError && error.status === 409 && error.current) {
    markConflict(path, error.current)
  } else if (error instanceof ApiError && error.status === 404 && error.code === 'unknown-file') {
    markUnknown(path)
    notify({ tone: 'info', text: `${path} was deleted elsewhere; what you typed is saved as a new file.` })
    scheduleSave(0)
  } else {
    markFailed(path)
    const refusal = `${path} is kept in this browser only. ${messageOf(error)}`
    if (refusal !== lastRefusal) notify({ tone: 'danger', text: refusal })
    lastRefusal = refusal
  }
}
