/** Applies a fix of the compiler to the present text. */
import type { Fix } from '../../api/types'
import { notify } from '../../app/notices'
import { currentCompilation } from '../../documents/compile-loop'
import { applyTextEdits } from '../../documents/documents'

/**
 * The text may have changed since the fix was offered, so the same fix of the present compilation is applied: that with
 * the same edits, else that with the same title. Says so if there is none.
 */
export async function applyFix(fix: Fix): Promise<void> {
  const compilation = await currentCompilation()
  const offered = compilation?.diagnostics.flatMap((diagnostic) => diagnostic.fixes) ?? []
  const current =
    offered.find((offer) => offer.title === fix.title && sameEdits(offer, fix)) ??
    offered.find((offer) => offer.title === fix.title)
  if (!current) {
    notify({ tone: 'info', text: 'The text has changed and this fix is no longer needed.' })
    return
  }
  applyTextEdits(current.edits)
}

function sameEdits(a: Fix, b: Fix): boolean {
  return JSON.stringify(a.edits) === JSON.stringify(b.edits)
}
