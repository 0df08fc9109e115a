/** The ticks of a logarithmic axis. */
import { scaleLinear, scaleLog } from 'd3-scale'

const FEWEST = 3
const MOST = 8

/**
 * Those at 1, 2 and 5 of each power of ten between the two ends, or at 1 alone where that would be a crowd. Where the ends
 * are too close for that, round numbers at equal distances.
 */
export function logTicks(low: number, high: number): number[] {
  const ticks = scaleLog().domain([low, high]).ticks()
  const at = (steps: readonly number[]) =>
    ticks.filter((tick) => steps.some((step) => Number.isInteger(Number(Math.log10(tick / step).toFixed(6)))))
  const all = at([1, 2, 5])
  if (all.length < FEWEST) return scaleLinear().domain([low, high]).ticks(4)
  return all.length > MOST ? at([1]) : all
}
