/**
 * Questions about what is drawn as well a moment later, the colours of words and what can be folded, wait until nobody
 * types: each answer is one more frame, and with several people in a file each of their pages asks.
 */
import { lastTyped } from '../../documents/documents'
import { pathOf } from '../models'
import type { editor } from '../monaco'

/** Nobody has typed for so long, here or on another page. */
const REST_MS = 400
/** After so long without a question, the next one does not wait. */
const MOST_MS = 3000

/** By path, when a question first waited since the last one that was asked. */
const waitingSince = new Map<string, number>()

/** Resolves once a question about a text may be asked; false where the text is another one by then. */
export async function atRest(model: editor.ITextModel): Promise<boolean> {
  const path = pathOf(model.uri)
  const version = model.getVersionId()
  const since = waitingSince.get(path) ?? performance.now()
  waitingSince.set(path, since)
  const waitMs = Math.min(lastTyped() + REST_MS, since + MOST_MS) - performance.now()
  if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs))
  if (model.isDisposed() || model.getVersionId() !== version) return false
  waitingSince.delete(path)
  return true
}
