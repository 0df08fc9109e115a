/** Deletes a file on the server as it is known here: one that was changed elsewhere since stays. */
import { answered, api } from '../api/client'
import { documentAt, removeDocument } from './documents'
import { saveChanged, tellWritten } from './saving'

/** Throws an `ApiError` with 409 where the server has a newer text. */
export async function deleteFile(application: string, path: string): Promise<void> {
  await saveChanged() // else the revision would be the one before a save that is under way
  const base_revision = documentAt(path)?.revision ?? null
  await answered(
    api.DELETE('/api/applications/{application}/files/{path}', {
      params: { path: { application, path }, query: { base_revision } },
    }),
  )
  tellWritten()
  removeDocument(path)
}
