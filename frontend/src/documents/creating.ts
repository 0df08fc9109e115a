/** Creates a file on the server and opens it here. */
import { answered, api } from '../api/client'
import { addDocument } from './documents'
import { tellWritten } from './saving'

/** Throws an `ApiError` if the server refuses the path, or has a file there. */
export async function createFile(application: string, path: string, text: string): Promise<void> {
  const created = await answered(
    api.POST('/api/applications/{application}/files', { params: { path: { application } }, body: { path, text } }),
  )
  tellWritten()
  addDocument(created)
}
