/** Gives a file another path on the server as it is known here: one that was changed elsewhere since keeps its own. */
import { answered, api } from '../api/client'
import { addDocument, documentAt, removeDocument } from './documents'
import { saveChanged, tellWritten } from './saving'

/** Throws an `ApiError` with 409 where the server has a newer text, or a file of that path. */
export async function renameFile(application: string, path: string, newPath: string): Promise<void> {
  await saveChanged() // else the revision would be the one before a save that is under way
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
