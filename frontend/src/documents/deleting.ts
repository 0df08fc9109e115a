/** Deletes a file on the server and here. The server refuses if the file was changed elsewhere since it was read. */
import { answered, api } from '../api/client'
import { documentAt, removeDocument } from './documents'
import { saveChanged, tellWritten } from './saving'

/** Throws an `ApiError` with status 409 if the server has a newer text. */
export async function deleteFile(application: string, path: string): Promise<void> {
  await saveChanged() // a save under way would replace the revision that is sent below
  const base_revision = documentAt(path)?.revision ?? null
  await answered(
    api.DELETE('/api/applications/{application}/files/{path}', {
      params: { path: { application, path }, query: { base_revision } },
    }),
  )
  tellWritten()
  removeDocument(path)
}
