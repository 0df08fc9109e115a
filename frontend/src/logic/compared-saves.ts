/** Which two saves the history compares, by what the address says. */

/** The save before, the text of now, or the number of another save. */
export type Against = 'before' | 'now' | number

/** What save `number` is compared with; without a choice that can be read: the newest with the one before, others with now. */
export function comparedWith(chosen: string | undefined, number: number, newest: number): Against {
  if (chosen === 'before' || chosen === 'now') return chosen
  const other = Number(chosen)
  if (Number.isInteger(other) && other > 0 && other !== number) return other
  return number === newest ? 'before' : 'now'
}
