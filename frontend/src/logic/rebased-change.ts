/** One change of a text, and the same change of another text that began as the same one. Offsets are UTF-16 units. */

export interface TextChange {
  start: number
  end: number
  text: string
}

/** The smallest single change that turns one text into another; null where they are equal. */
export function changeBetween(before: string, after: string): TextChange | null {
  if (before === after) return null
  const shortest = Math.min(before.length, after.length)
  let head = 0
  while (head < shortest && before[head] === after[head]) head += 1
  if (isHighSurrogate(before, head - 1)) head -= 1
  let tail = 0
  while (tail < shortest - head && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail += 1
  if (isHighSurrogate(before, before.length - tail - 1)) tail -= 1
  tail = Math.max(0, tail)
  return { start: head, end: before.length - tail, text: after.slice(head, after.length - tail) }
}

/**
 * What was changed from `base` to `mine`, as a change of `theirs`; null where there is nothing to change, and `overlap`
 * where both changed the same place, so that a person has to choose.
 */
export function rebasedChange(base: string, mine: string, theirs: string): TextChange | null | 'overlap' {
  const own = changeBetween(base, mine)
  if (!own || mine === theirs) return null
  const other = changeBetween(base, theirs)
  if (!other || own.end < other.start) return own
  if (own.start <= other.end) return 'overlap'
  const shift = theirs.length - base.length
  return { start: own.start + shift, end: own.end + shift, text: own.text }
}

/** A character of two units is never cut in its middle. */
function isHighSurrogate(text: string, index: number): boolean {
  const code = index >= 0 ? text.charCodeAt(index) : 0
  return code >= 0xd800 && code <= 0xdbff
}
