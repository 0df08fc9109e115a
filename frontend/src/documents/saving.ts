/**
 * Saves changed texts to the server: a while after the last key, or at once when asked, one save after the other. Also
 * reads the application, which must not overlap with a save.
 */
import { ApiError, answered, api, messageOf, Unreachable } from '../api/client'
import { allPages } from '../api/pages'
import type { Application, ApplicationFile } from '../api/types'
import { dismissAbout, notify } from '../app/notices'
import {
  documentAt,
  isLive,
  isSavedLive,
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
const TIMEOUT_MS = 30_000
/** A live session saves at most 1.5 seconds after a key. */
const LIVE_WAIT_MS = 5000

let timer: ReturnType<typeof setTimeout> | undefined
/** The save under way. The next one begins after it, because it must send the revision that this one returns. */
let underWay: Promise<void> = Promise.resolve()
/** Counts writes that ended. An answer that was requested before the last of them may be older than it. */
let endedWrites = 0
/**
 * The text that was sent last, by application and path. If its answer got lost, the server's text is newer than the known
 * revision and still no conflict, because this page has written it.
 */
const sentTexts = new Map<string, string>()
/** The last refusal that a notice has shown, so that it is not repeated after every key; empty after a success. */
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

/** Saves at once what has changed; resolves when the save has ended, whether it succeeded or not. */
export function saveChanged(): Promise<void> {
  clearTimeout(timer)
  underWay = underWay.then(saveAll)
  return underWay.then(untilLiveSaved)
}

/** Waits until the live sessions have saved what was typed, but not for long: one may be cut off. */
function untilLiveSaved(): Promise<void> {
  const isSaved = () => !useDocuments.getState().files.some((file) => file.saveState === 'changed' && isLive(file.path))
  if (isSaved()) return Promise.resolve()
  return new Promise((resolve) => {
    const finish = () => {
      clearTimeout(limit)
      stop()
      resolve()
    }
    const limit = setTimeout(finish, LIVE_WAIT_MS)
    const stop = useDocuments.subscribe(() => {
      if (isSaved()) finish()
    })
  })
}

/**
 * Notes that a file was created or deleted on the server, so that an answer requested earlier is not taken for the
 * present.
 */
export function tellWritten(): void {
  endedWrites += 1
}

/** The revision of each file by path; null while any text is not saved. */
export function savedRevisions(): Record<string, string> | null {
  const { files } = useDocuments.getState()
  const entries = files.flatMap(({ path, revision, saveState }) =>
    revision !== null && saveState === 'saved' ? [[path, revision] as const] : [],
  )
  return entries.length === files.length ? Object.fromEntries(entries) : null
}

/** Tries to save again, because the server has come back. */
export function saveAgain(): void {
  if (useDocuments.getState().files.some(waits)) scheduleSave(0)
}

/** An application as the server had it when so many writes of this page had ended. */
export type ApplicationRead = Application & { readonly afterWrites: number }

/** Reads an application while no save is under way. If a save ends meanwhile, the answer may be old: it reads again. */
export async function readApplication(application: string, signal: AbortSignal): Promise<ApplicationRead> {
  for (;;) {
    await underWay
    const afterWrites = endedWrites
    const answer = await readAll(application, signal)
    if (afterWrites === endedWrites) return { ...answer, afterWrites }
  }
}

/** Whether a write has ended here since an answer was asked for: it may hold texts from before that write. */
export function isOlderThanWrites(answer: ApplicationRead): boolean {
  return answer.afterWrites !== endedWrites
}

/** The application with all its files, which the server returns page by page. */
async function readAll(application: string, signal: AbortSignal): Promise<Application> {
  let first: Application | undefined
  const files = await allPages(async (cursor) => {
    const page = await answered(
      api.GET('/api/applications/{application}', {
        params: { path: { application }, query: { cursor } },
        signal,
      }),
    )
    first ??= page // what is written while the pages behind it are read has another version
    return { items: page.files, next: page.next }
  })
  return { id: application, title: first?.title ?? application, version: first?.version ?? '', files, next: null }
}

function scheduleSave(pauseMs: number): void {
  clearTimeout(timer)
  timer = setTimeout(() => void saveChanged(), pauseMs)
}

/** Whether a file has to be saved from here. */
function waits(file: TextDocument): boolean {
  return (file.saveState === 'changed' || file.saveState === 'failed') && !isSavedLive(file.path)
}

async function saveAll(): Promise<void> {
  for (const { path } of useDocuments.getState().files.filter(waits)) {
    const file = documentAt(path)
    if (file && waits(file)) await save(file)
  }
}

/** Saves one file and notes the outcome in its document; never throws. */
async function save(file: TextDocument): Promise<void> {
  const { path } = file
  const { application } = useDocuments.getState()
  if (application === null) return
  markSaving(path)
  try {
    const saved = await send(application, file)
    markSaved({ path, text: saved.text, revision: saved.revision })
    lastRefusal = ''
    dismissAbout(savingOf(path))
    if (documentAt(path)?.saveState === 'changed') scheduleSave(PAUSE_MS)
  } catch (error) {
    handleFailure(path, error)
  } finally {
    endedWrites += 1
  }
}

/** Sends a text; the saved file, which may be one that an earlier request with a lost answer has saved. */
function send(application: string, { path, text, revision }: TextDocument): Promise<ApplicationFile> {
  const key = `${application}/${path}`
  const sentBefore = sentTexts.get(key)
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  sentTexts.set(key, text)
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
    if (theirs && (theirs.text === sentBefore || theirs.text === text)) return theirs
    throw error
  })
}

/** The subject of notices that say why a file is not saved. */
export const savingOf = (path: string): string => `saving of ${path}`

/** Decides what follows a failed save: a retry, a conflict, a new file, or a notice. The text is safe in its draft. */
function handleFailure(path: string, error: unknown): void {
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
    if (refusal !== lastRefusal) notify({ tone: 'danger', subject: savingOf(path), text: refusal })
    lastRefusal = refusal
  }
}
