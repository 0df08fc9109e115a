/** The width of a letter in the labels of axes, in pixels: a little more than the average. */
const LETTER = 6.4

/** A label cut to a width, with `…` at its end if it is too long; the chart's accessible name has it in full. */
export function fitted(label: string, pixels: number): string {
  const letters = Math.max(1, Math.floor(pixels / LETTER))
  return label.length > letters ? `${label.slice(0, letters - 1)}…` : label
}
