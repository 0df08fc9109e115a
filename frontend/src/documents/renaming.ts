/** Renames a file on the server and here. The server refuses if the file was changed elsewhere since it was read. */
import { answered, api } from '../api/client'
import { addDocument, documentAt, removeDocument } from './documents'
import { saveChanged, tellWritten } from './saving'

/** Throws an `ApiError` with status 409 if the server has a newer text, or another file at the new path. */
export async function renameFile(application: string, path: string, newPath: string): Promise<void> {
  await saveChanged() // a save under way would replace the revision that is sent below
  const revision = documentAt(path)?.revision ?? ''
  const renamed = await answered(
    api.POST('/api/applications/{application}/renames', {
      params: { path: { application } },
      body: { path, new_path: newPath, base_revision: revision },
    }),
  )
  tellWritten()
  addDocument(renamed)
  removeDocument(path)
}
