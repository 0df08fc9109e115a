/** What a cell of a table shows of a text: all of it, or the start of one too long to be read there. */

const SHOWN = 500

interface CellText {
  start: string
  /** The characters of the whole text, where only its start is shown. */
  length: number | null
}

export function startOf(text: string): CellText {
  if (text.length <= 2 * SHOWN) return { start: text, length: null }
  const isHalf = /[\uD800-\uDBFF]/.test(text.charAt(SHOWN - 1)) // an emoji is two units, and not cut between them
  return { start: text.slice(0, isHalf ? SHOWN - 1 : SHOWN), length: text.length }
}
