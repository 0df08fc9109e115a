/** How many stripes a view needs, in words. All of it is estimated, so it is marked with `≈`. */
import { formatCount, formatMs, formatPercent } from '../units'

export interface Step {
  stripes: number
  /** The share of its time that one partition makes writes; above 1 it cannot follow. */
  busy: number
  read_requests: number
  read_ms: number | null
  write_ms: number | null
}

export interface Dial {
  stripes: number
  per_second: number
  change_ms: number
  partition_bears: number
  most_busy: number
  is_in_turn: boolean
  needed: number | null
  /** The query whose p99 is that of a write: the dearest that keeps the view. */
  write: string
  steps: readonly Step[]
}

/** The steps to show: up to the next one above what is needed, what the text has and what is chosen. */
export function shownSteps({ steps, stripes, needed }: Dial, chosen: number): readonly Step[] {
  const farthest = Math.max(8, stripes, needed ?? 0, Number.isFinite(chosen) ? chosen : 0)
  const next = steps.find((step) => step.stripes > farthest)?.stripes ?? Infinity
  return steps.filter((step) => step.stripes <= next)
}

/** `≈ 74 %`, or that it is more than all of its time. */
export function busyText({ busy }: Step): string {
  return busy > 1 ? `≈ ${formatCount(busy)} times over` : `≈ ${formatPercent(busy, busy < 0.1 ? 1 : 0)}`
}

/** What the number of a step is: that of the text, and the one that is needed. */
export function stepNotes({ stripes: now, needed }: Dial, { stripes }: Step): string[] {
  return [...(stripes === now ? ['now'] : []), ...(stripes === needed ? ['needed'] : [])]
}

/** What one partition bears, from what, and how many stripes follow from it. */
export function dialSentence(dial: Dial): string {
  const { per_second, change_ms, partition_bears, most_busy, is_in_turn, needed, write } = dial
  const dearest = `The write is ${write}, the dearest that keeps the view.`
  if (is_in_turn)
    return `This store makes one write after the other, ≈ ${formatCount(partition_bears)} a second, whatever their group. So stripes do not help here; reads would pay for them. ${dearest}`
  const bears = `The run measured a write of this size at ${formatMs(change_ms)} in the mean, so one partition bears ≈ ${formatCount(partition_bears)} changes a second, one after the other. How many it bears at once was not measured.`
  if (needed === null) return `${bears} No number of stripes bears ${formatCount(per_second)}. ${dearest}`
  const share = formatPercent(most_busy, 0)
  const answer =
    needed === 1
      ? `${formatCount(per_second)} a second need no stripes: the partition of the group is busy for ${share} of the time at most.`
      : `${formatCount(per_second)} a second need ${formatCount(needed)} stripes: each partition is then busy for ${share} of the time at most.`
  return `${bears} ${answer} ${dearest}`
}

/** Whether a view of this name is declared in some texts, such as those of the live version. */
export function declaresView(texts: readonly { text: string }[], view: string): boolean {
  const name = view.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
  const declared = new RegExp(`\\bCREATE\\s+VIEW\\s+"?${name}"?\\s+AS\\b`, 'i')
  return texts.some(({ text }) => declared.test(text))
}
