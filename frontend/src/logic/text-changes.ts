/** Changes of a text that others make, and where a caret is after them. Offsets are those before all the changes. */
import type { TextChange } from './rebased-change'

export interface Selection {
  /** Where the selection began. */
  anchor: number
  /** Where the caret is. */
  head: number
}

/** A step of Yjs's delta: so many characters stay, are inserted, or are deleted. */
interface DeltaStep {
  retain?: number | undefined
  insert?: unknown
  delete?: number | undefined
}

/** The changes that a delta of Yjs tells: at most one for each place. */
export function changesOf(delta: readonly DeltaStep[]): TextChange[] {
  const changes: TextChange[] = []
  let at = 0
  for (const step of delta) {
    if (step.retain !== undefined) {
      at += step.retain
      continue
    }
    const last = changes.at(-1)
    const change = last?.end === at ? last : { start: at, end: at, text: '' }
    if (change !== last) changes.push(change)
    if (typeof step.insert === 'string') change.text += step.insert
    at += step.delete ?? 0
    change.end = at
  }
  return changes
}

/** The text after changes that are in order. */
export function changed(text: string, changes: readonly TextChange[]): string {
  let at = 0
  let result = ''
  for (const change of changes) {
    result += text.slice(at, change.start) + change.text
    at = change.end
  }
  return result + text.slice(at)
}

/**
 * Where a selection is after changes of somebody else. A caret stays behind the character that it was behind, so what is
 * typed on goes on there, also where somebody else writes at the same place. A selection takes in nothing of theirs.
 */
export function movedSelection({ anchor, head }: Selection, changes: readonly TextChange[]): Selection {
  if (anchor === head) {
    const moved = movedOffset(head, changes, false)
    return { anchor: moved, head: moved }
  }
  const start = movedOffset(Math.min(anchor, head), changes, true)
  const end = Math.max(start, movedOffset(Math.max(anchor, head), changes, false))
  return anchor < head ? { anchor: start, head: end } : { anchor: end, head: start }
}

/** Where an offset is after changes; whether it goes behind what is inserted at it. */
function movedOffset(offset: number, changes: readonly TextChange[], goesBehind: boolean): number {
  let shift = 0
  for (const { start, end, text } of changes) {
    if (goesBehind ? start > offset : start >= offset) break
    if (end > offset) return start + shift + (goesBehind ? text.length : 0)
    shift += text.length - (end - start)
  }
  return offset + shift
}
