/** The panels' way to the editor, which may not be loaded yet: the last wish waits for it. */
import { create } from 'zustand'
import type { Caret, TextRange } from '../logic/shapes'
import { currentView, replaceView, setView } from './url-state'

export type EditorAction = 'quick fix' | 'rename' | 'definition' | 'references' | 'outline' | 'format'

export interface EditorHandle {
  reveal(range: TextRange, isFocused: boolean): void
  focus(): void
  nextProblem(): void
  /** Does at the caret what its key does. */
  run(action: EditorAction): void
}

let handle: EditorHandle | null = null
let waiting: { range: TextRange; isFocused: boolean } | null = null

/** Where the caret is, for panels that follow it; `isMoved` once the reader, not the page, has put it there. */
export const useCaret = create<{ caret: Caret | null; isMoved: boolean }>(() => ({ caret: null, isMoved: false }))

export function connectEditor(next: EditorHandle | null): void {
  handle = next
  if (handle && waiting) {
    handle.reveal(waiting.range, waiting.isFocused)
    waiting = null
  }
}

/** Opens the file of a range, selects the range and, when asked, moves the focus there. */
export function reveal(range: TextRange, isFocused = false): void {
  replaceView({ file: range.file })
  if (handle) handle.reveal(range, isFocused)
  else waiting = { range, isFocused }
}

/** Goes to a place as a link does: the back button returns to the file left. */
export function jump(range: TextRange): void {
  if (currentView().file !== range.file) setView({ file: range.file })
  reveal(range, true)
}

/** Drops a wish that still waits for the editor: the page has moved on. */
export function forgetReveal(): void {
  waiting = null
}

export function editor(): EditorHandle | null {
  return handle
}
