/**
 * How panels reach the editor without importing it. The editor is loaded late and connects itself here; a range that
 * shall be shown before that waits until it does.
 */
import { replaceEqualDeep } from '@tanstack/react-query'
import { create } from 'zustand'
import { afterPaint } from '../documents/after-paint'
import type { Caret, TextRange } from '../logic/shapes'
import { currentView, replaceView, setView } from './url-state'

export type EditorAction = 'quick fix' | 'rename' | 'definition' | 'references' | 'outline' | 'format'

/** What the editor can do for others. */
export interface EditorHandle {
  /** Selects a range of the open file, scrolls to it, and takes the focus if `isFocused`. */
  reveal(range: TextRange, isFocused: boolean): void
  focus(): void
  nextProblem(): void
  /** Comments on the caret's line, or opens what was said about it unless the comment shall be a new one. */
  comment(isNew: boolean): void
  /** Runs an action at the caret, as its key does. */
  run(action: EditorAction): void
}

let handle: EditorHandle | null = null
/** The range to show once the editor is loaded. */
let waiting: { range: TextRange; isFocused: boolean } | null = null

/** The caret, for panels that follow it. `isMoved` is true once the reader, not the page, has placed it. */
export const useCaret = create<{ caret: Caret | null; isMoved: boolean }>(() => ({ caret: null, isMoved: false }))

/** Says where the caret is now; who follows it hears nothing where that is the same. */
export function moveCaret(caret: Caret | null, isMoved: boolean): void {
  useCaret.setState((before) => replaceEqualDeep(before, { caret, isMoved }))
}

/** The caret a frame later, for what only shows where it is. */
export const usePaintedCaret = create(() => useCaret.getState())
useCaret.subscribe(() => afterPaint('caret', () => usePaintedCaret.setState(useCaret.getState())))

/** The editor calls this when it is loaded, and with null when it leaves the page. */
export function connectEditor(next: EditorHandle | null): void {
  handle = next
  if (handle && waiting) {
    handle.reveal(waiting.range, waiting.isFocused)
    waiting = null
  }
}

/** Opens the file of a range, selects the range and, when asked, moves the focus there, out of full screen. */
export function reveal(range: TextRange, isFocused = false): void {
  replaceView({ file: range.file, ...(isFocused ? { full: undefined } : {}) })
  if (handle) handle.reveal(range, isFocused)
  else waiting = { range, isFocused }
}

/** Goes to a range as a link does: the back button returns to the file before. */
export function jump(range: TextRange): void {
  if (currentView().file !== range.file) setView({ file: range.file })
  reveal(range, true)
}

/** Drops the range that waits for the editor, because the page shows something else by now. */
export function forgetReveal(): void {
  waiting = null
}

/** The editor; null while it is not loaded. */
export function editor(): EditorHandle | null {
  return handle
}
