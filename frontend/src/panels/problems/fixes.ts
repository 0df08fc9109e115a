/** Applies a fix of the compiler, if the text is still the one it was made for. */
import type { Fix } from '../../api/types'
import { notify } from '../../app/notices'
import { currentCompilation } from '../../documents/compile-loop'
import { applyTextEdits } from '../../documents/documents'

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
