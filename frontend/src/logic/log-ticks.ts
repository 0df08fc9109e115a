/** The ticks of a logarithmic axis. */
import { scaleLinear, scaleLog } from 'd3-scale'

const FEWEST = 3
const MOST = 8

/**
 * The ticks between two ends: at 1, 2 and 5 times each power of ten, or at the powers alone if those are too many. If
 * the ends are so close that fewer than three remain, round numbers at equal distances.
 */
export function logTicks(low: number, high: number): number[] {
  const ticks = scaleLog().domain([low, high]).ticks()
  const multiples = (steps: readonly number[]) =>
    ticks.filter((tick) => steps.some((step) => Number.isInteger(Number(Math.log10(tick / step).toFixed(6)))))
  const all = multiples([1, 2, 5])
  if (all.length < FEWEST) return scaleLinear().domain([low, high]).ticks(4)
  return all.length > MOST ? multiples([1]) : all
}
