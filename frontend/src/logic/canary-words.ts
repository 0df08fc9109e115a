/** What the page of a request says of a version that is tried: its share, how it compares, and what was decided. */
import { formatCount, formatPercent } from '../units'

export type Difference = 'too few' | 'worse' | 'better' | 'no difference shown'
type Act = 'began' | 'share' | 'promoted' | 'withdrawn'
type Tone = 'plain' | 'accent' | 'danger'

interface Thresholds {
  errors_percent: number | null
  burn: number | null
}

interface Canary {
  version: number
  base_version: number
  stage: 'building' | 'made' | 'open' | 'closing'
  share: number
  thresholds: Thresholds
  looks: { count: number; next_at: number; error: number }
}

/** `5 %`, `0.5 %`: a share as people type it. */
export function shareText(share: number): string {
  return formatPercent(share, Number.isInteger(Math.round(share * 1000) / 10) ? 0 : 1)
}

/** What happens with executions now. */
export function stateText({ version, base_version, stage, share }: Canary): string {
  if (stage === 'closing') return `Version ${version} was withdrawn: its last executions end.`
  if (stage !== 'open') return `Version ${version} is made ready. Executions go to version ${base_version} alone.`
  return `Version ${version} is tried on ${shareText(share)} of the executions. The others go to version ${base_version}.`
}

/** When the workbench withdraws by itself. */
export function thresholdsText({ errors_percent, burn }: Thresholds): string {
  const causes = [
    ...(errors_percent === null ? [] : [`more than ${errors_percent} % of its executions fail`]),
    ...(burn === null ? [] : [`a query breaks its SLO more than ${burn} times as often as it allows`]),
  ]
  return causes.length === 0
    ? 'It is withdrawn by people alone.'
    : `It is withdrawn by itself when ${causes.join(', or ')}.`
}

/** How many tests were made, and when the next one is. */
export function looksText({ looks: { count, next_at, error } }: Canary): string {
  const made =
    count === 0 ? 'No test was made yet' : count === 1 ? 'One test was made' : `${formatCount(count)} tests were made`
  return (
    `${made}; the next one is at ${formatCount(next_at)} executions of the tried version. ` +
    `That any of them is wrong has a probability of at most ${formatPercent(error, 0)}.`
  )
}

export const DIFFERENCE_TONES: Readonly<Record<Difference, Tone>> = {
  'too few': 'plain',
  'no difference shown': 'plain',
  better: 'accent',
  worse: 'danger',
}

/** A verdict in the words of what was measured: `slower`, `fails less`. */
export function differenceText(measure: 'p99' | 'errors' | 'requests', difference: Difference): string {
  if (difference === 'too few' || difference === 'no difference shown') return difference
  const isWorse = difference === 'worse'
  if (measure === 'p99') return isWorse ? 'slower' : 'faster'
  if (measure === 'errors') return isWorse ? 'fails more' : 'fails less'
  return isWorse ? 'more requests' : 'fewer requests'
}

interface CanaryEvent {
  version: number
  act: Act
  share: number
  person: string | null
}

/** `Version 4: tried on 5 % by ada`. */
export function eventText({ version, act, share, person }: CanaryEvent): string {
  const by = person === null ? '' : ` by ${person}`
  switch (act) {
    case 'began':
      return `Version ${version}: tried on ${shareText(share)}${by}`
    case 'share':
      return `Version ${version}: on ${shareText(share)} from then on${by}`
    case 'promoted':
      return `Version ${version}: promoted${by}`
    default:
      return `Version ${version}: withdrawn${by}`
  }
}

/** A number of percent that was typed, as a share; null for what is none from 0 to 100. */
export function typedShare(text: string): number | null {
  const percent = Number(text.trim().replace(',', '.'))
  return text.trim() === '' || !Number.isFinite(percent) || percent < 0 || percent > 100 ? null : percent / 100
}

/** A threshold that was typed: a number above `least`, null for none, undefined for what is no such number. */
export function typedThreshold(text: string, least: number, below: number): number | null | undefined {
  if (text.trim() === '') return null
  const number = Number(text.trim().replace(',', '.'))
  return Number.isFinite(number) && number >= least && number < below ? number : undefined
}
