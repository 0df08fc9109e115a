/** Saves changed texts to the server: a while after the last key, or at once when asked. */
import { answered, api, ApiError, Unreachable } from '../api/client'
import { takeBaseline } from './compile-loop'
import { documentAt, markConflict, markFailed, markSaved, markSaving, useDocuments, type TextDocument } from './documents'

const PAUSE_MS = 1200
const RETRY_MS = 3000

let timer: ReturnType<typeof setTimeout> | undefined

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
    clearTimeout(timer)
  }
}

/** The user's own save: also the point that later changes of bounds are measured from. */
export async function saveNow(): Promise<void> {
  takeBaseline()
  await saveChanged()
}

export async function saveChanged(): Promise<void> {
  clearTimeout(timer)
  for (const file of useDocuments.getState().files.filter(waits)) await save(file)
}

/** A save is tried again when the server comes back. */
export function saveAgain(): void {
  if (useDocuments.getState().files.some(waits)) scheduleSave(0)
}

function scheduleSave(pauseMs: number): void {
  clearTimeout(timer)
  timer = setTimeout(() => void saveChanged(), pauseMs)
}

function waits(file: TextDocument): boolean {
  return file.saveState === 'changed' || file.saveState === 'failed'
}

async function save({ path, text, revision }: TextDocument): Promise<void> {
  const { workspace } = useDocuments.getState()
  if (workspace === null) return
  markSaving(path)
  try {
    const call =
      revision === null
        ? api.POST('/api/workspaces/{workspace_id}/files', { params: { path: { workspace_id: workspace } }, body: { path, text } })
        : api.PUT('/api/workspaces/{workspace_id}/files/{path}', {
            params: { path: { workspace_id: workspace, path } },
            body: { text, base_revision: revision },
          })
    const saved = await answered(call)
    markSaved({ path, text: saved.text, revision: saved.revision })
    if (documentAt(path)?.saveState === 'changed') scheduleSave(PAUSE_MS)
  } catch (error) {
    if (error instanceof ApiError && error.status === 409) {
      const theirs = error.current ?? (await currentFile(workspace, path))
      if (theirs) return markConflict(path, theirs)
    }
    markFailed(path)
    if (error instanceof Unreachable) scheduleSave(RETRY_MS)
  }
}

async function currentFile(workspace: string, path: string) {
  const read = await answered(api.GET('/api/workspaces/{workspace_id}', { params: { path: { workspace_id: workspace } } }))
  return read.files.find((file) => file.path === path) ?? null
}
