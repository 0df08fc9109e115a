/**
 * Keeps a text that is shown and the document of a live session the same. Each change of the others is made as it was
 * made there, and not found by comparing texts: where two people write equal lines at one place, a comparison cannot tell
 * whose are new, and a caret would get into the line of somebody else.
 */
import { changeBetween, type TextChange } from '../logic/rebased-change'
import { changed, movedSelection, type Selection } from '../logic/text-changes'
import type { Binding, LiveSession } from './session'

/** What shows a text, and takes keys. */
export interface ShownText {
  value(): string
  /** Makes changes of others, all at once; offsets are those before. */
  replace(changes: readonly TextChange[]): void
  selections(): readonly Selection[]
  select(selections: readonly Selection[]): void
  /** Who hears of each change of the text, also of those by `replace`; with null nobody any more. */
  listen(onChange: ((changes: readonly TextChange[]) => void) | null): void
}

/** Binds what shows the text of a session, until it is disposed. */
export function bindText(session: LiveSession, shown: ShownText): Binding {
  let isShowing = false
  let isTyping = false
  const apply = (changes: readonly TextChange[]) => {
    const selections = shown.selections().map((selection) => movedSelection(selection, changes))
    isShowing = true
    try {
      shown.replace(changes)
    } finally {
      isShowing = false
    }
    shown.select(selections)
  }
  shown.listen((changes) => {
    if (isShowing) return
    isTyping = true
    try {
      session.edit(changes)
    } finally {
      isTyping = false
    }
  })
  return {
    show: (changes) => {
      if (isTyping) return
      const before = shown.value()
      const text = session.text.toString()
      if (changed(before, changes) === text) apply(changes)
      else {
        const change = changeBetween(before, text)
        if (change) apply([change])
      }
    },
    dispose: () => shown.listen(null),
  }
}
