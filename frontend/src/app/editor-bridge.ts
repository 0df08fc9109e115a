/** The panels' way to the editor, which may not be loaded yet: the last wish waits for it. */
import { create } from 'zustand'
import type { Caret, TextRange } from '../logic/shapes'
import { replaceView } from './url-state'

export interface EditorHandle {
  reveal(range: TextRange, isFocused: boolean): void
  focus(): void
  nextProblem(): void
  quickFix(): void
  text(path: string): string | undefined
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

export function editor(): EditorHandle | null {
  return handle
}
