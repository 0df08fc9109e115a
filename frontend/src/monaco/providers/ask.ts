/** Questions to the language service: about a place of a text, together with all others. */
import { answered } from '../../api/client'
import { sourceFiles } from '../../documents/documents'
import { pathOf } from '../models'
import type { CancellationToken, editor, IPosition } from '../monaco'

export function placeOf(model: editor.ITextModel, position: IPosition) {
  return { files: sourceFiles(), file: pathOf(model.uri), line: position.lineNumber, column: position.column }
}

export function fileOf(model: editor.ITextModel) {
  return { path: pathOf(model.uri), text: model.getValue() }
}

/** The answer, or null when it is overtaken or cannot be had: what is only shown is not worth a message. */
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
