/** What all questions to the language service share: the body of a request, and an answer that may be missing. */
import { answered } from '../../api/client'
import { sourceFiles } from '../../documents/documents'
import { pathOf } from '../models'
import type { CancellationToken, editor, IPosition } from '../monaco'

/** The body of a question about a position: all texts, and the position in one of them. */
export function questionAt(model: editor.ITextModel, position: IPosition) {
  return { files: sourceFiles(), file: pathOf(model.uri), line: position.lineNumber, column: position.column }
}

/** The body of a question about one file alone. */
export function fileOf(model: editor.ITextModel) {
  return { path: pathOf(model.uri), text: model.getValue() }
}

/** The answer; null if Monaco no longer wants it or the request fails, because a missing popup needs no message. */
export async function quietly<T>(
  token: CancellationToken,
  call: (signal: AbortSignal) => Parameters<typeof answered<T>>[0],
): Promise<T | null> {
  const abort = new AbortController()
  const stop = token.onCancellationRequested(() => abort.abort())
  try {
    return await answered<T>(call(abort.signal))
  } catch {
    return null
  } finally {
    stop.dispose()
  }
}
