/** Brings texts of an earlier save back: a file that is open as an edit that can be undone, one that is gone as a new file. */
import { answered, api } from '../api/client'
import type { SourceFile } from '../api/types'
import { addDocument, documentAt, replaceText } from './documents'
import { tellWritten } from './saving'

/** Throws an `ApiError` where a file that is gone cannot be made again. */
export async function restoreTexts(application: string, files: readonly SourceFile[]): Promise<void> {
  for (const { path, text } of files) {
    if (documentAt(path)) {
      replaceText(path, text)
    } else {
      const created = await answered(
        api.POST('/api/applications/{application}/files', { params: { path: { application } }, body: { path, text } }),
      )
      tellWritten()
      addDocument(created)
    }
  }
}
