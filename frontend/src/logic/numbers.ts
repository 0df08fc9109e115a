/** The numbers that fields of forms accept, and the message for anything else. */
import { formatCount } from '../units'

export interface NumberRule {
  least: number
  most: number
  isWhole?: boolean
}

/** The message for a text that is no such number; undefined if it is one. */
export function numberError(text: string, rule: NumberRule): string | undefined {
  const value = Number(text)
  const isNumber = text.trim() !== '' && Number.isFinite(value) && (!rule.isWhole || Number.isInteger(value))
  if (isNumber && value >= rule.least && value <= rule.most) return undefined
  return `${rule.isWhole ? 'A whole number' : 'A number'} from ${written(rule.least)} to ${written(rule.most)}.`
}

function written(value: number): string {
  return Number.isInteger(value) ? formatCount(value) : String(value)
}

/** The server's limits of a profile run. */
export const RUN_RULES = {
  interval: { least: 0.1, most: 3600 },
  intervals: { least: 1, most: 1000, isWhole: true },
} as const satisfies Record<string, NumberRule>

/** The server's limits of a burst. */
export const BURST_RULES = {
  executions: { least: 1, most: 5000, isWhole: true },
  concurrency: { least: 1, most: 16, isWhole: true },
} as const satisfies Record<string, NumberRule>

/** The server's limits of an SLO, in the units that are typed: percent, milliseconds, seconds. */
export const SLO_RULES = {
  percent: { least: 50, most: 99.99 },
  threshold: { least: 0.0001, most: 3_600_000 },
  interval: { least: 0.1, most: 86_400 },
} as const satisfies Record<string, NumberRule>
