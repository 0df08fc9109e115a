/** Restores texts of an earlier save: in an open file as an edit that can be undone, else as a new file on the server. */
import type { SourceFile } from '../api/types'
import { createFile } from './creating'
import { documentAt, replaceText } from './documents'

/** Throws an `ApiError` if a deleted file cannot be created again; files before it in the list are restored by then. */
export async function restoreTexts(application: string, files: readonly SourceFile[]): Promise<void> {
  for (const { path, text } of files) {
    if (documentAt(path)) replaceText(path, text)
    else await createFile(application, path, text)
  }
}
