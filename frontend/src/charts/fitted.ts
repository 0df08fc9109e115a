/** What a letter of an axis takes, on average and a little more. */
const LETTER = 6.4

/** As much of a label as there is room for in the drawing; what is cut off is read out with the chart. */
export function fitted(label: string, pixels: number): string {
  const letters = Math.max(1, Math.floor(pixels / LETTER))
  return label.length > letters ? `${label.slice(0, letters - 1)}…` : label
}
