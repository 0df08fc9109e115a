/** What a field for a number takes, and what is said when it gets something else. */
import { formatCount } from '../units'

export interface NumberRule {
  least: number
  most: number
  isWhole?: boolean
}

/** Why a text is not such a number; undefined when it is. */
export function numberError(text: string, rule: NumberRule): string | undefined {
  const value = Number(text)
  const isNumber = text.trim() !== '' && Number.isFinite(value) && (!rule.isWhole || Number.isInteger(value))
  if (isNumber && value >= rule.least && value <= rule.most) return undefined
  return `${rule.isWhole ? 'A whole number' : 'A number'} from ${written(rule.least)} to ${written(rule.most)}.`
}

function written(value: number): string {
  return Number.isInteger(value) ? formatCount(value) : String(value)
}

/** What the server takes of a profile run. */
export const RUN_RULES = {
  interval: { least: 0.1, most: 3600 },
  intervals: { least: 1, most: 1000, isWhole: true },
} as const satisfies Record<string, NumberRule>

/** What the server takes of a burst. */
export const BURST_RULES = {
  executions: { least: 1, most: 5000, isWhole: true },
  concurrency: { least: 1, most: 16, isWhole: true },
} as const satisfies Record<string, NumberRule>

/** What the server takes of an SLO, as it is typed: percent, milliseconds, seconds. */
export const SLO_RULES = {
  percent: { least: 50, most: 99.99 },
  threshold: { least: 0.0001, most: 3_600_000 },
  interval: { least: 0.1, most: 86_400 },
} as const satisfies Record<string, NumberRule>
