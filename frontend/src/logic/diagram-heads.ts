/** How the name of a table and the steps at it share the head of its box. */
import type { Box } from './schema-diagram'

const MAX_NAME_SIZE = 44
/** The same where the name is all that the box shows. */
const MAX_LONE_NAME_SIZE = 20
/** The room beside the name, both sides together, in pixels. */
const NAME_MARGIN = 24
/** The width of a character as a part of the font size. */
const CHARACTER_WIDTH = 0.58
/** What the head of a box takes beside its texts: the margins and the icon, and for each step its number and gaps. */
const HEAD_MARGIN = 41
const STEP_MARGIN = 30
/** The width in pixels of a character of the name and of the text of a step. */
const NAME_CHARACTER = 7.6
const STEP_CHARACTER = 6.2

/** Whether the texts of the steps would hide the name: their numbers stand alone then, and the list of steps has the rest. */
export function isCrowded({ name, steps }: Box, width: number): boolean {
  const texts = steps.reduce((sum, { text }) => sum + STEP_MARGIN + text.length * STEP_CHARACTER, 0)
  return HEAD_MARGIN + name.length * NAME_CHARACTER + texts > width
}

/** The font size in pixels at which the name fills the box, for a diagram too small to read the rest. */
export function nameSize({ name, lines }: Box, width: number): number {
  const most = lines.length > 0 ? MAX_NAME_SIZE : MAX_LONE_NAME_SIZE
  return Math.min(most, Math.floor((width - NAME_MARGIN) / (name.length * CHARACTER_WIDTH)))
}
