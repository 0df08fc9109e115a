/** How a cell of a table shows a long text: by its start. */

/** The length of a start; a text up to twice as long is shown whole, because little would be saved. */
const START_LENGTH = 500

interface CellText {
  start: string
  /** The length of the whole text if `start` is only a part of it; else null. */
  length: number | null
}

/** The part of a text that a cell shows. */
export function startOf(text: string): CellText {
  if (text.length <= 2 * START_LENGTH) return { start: text, length: null }
  const cutsPair = /[\uD800-\uDBFF]/.test(text.charAt(START_LENGTH - 1)) // an emoji is two UTF-16 units
  return { start: text.slice(0, cutsPair ? START_LENGTH - 1 : START_LENGTH), length: text.length }
}
