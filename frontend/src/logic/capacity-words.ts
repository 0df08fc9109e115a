/** What the page about capacity says, in words: estimates with their intervals, never with `≤`. */
import { formatMs } from '../units'
import type { Answer, Binding, CapacityAnswer } from './capacity'

const UNITS = ['', 'k', 'M', 'G', 'T', 'P', 'E']

/** Three digits and a unit: 63.6k, 1.25M; without an end ∞. */
export function formatShort(number: number | null): string {
  if (number === null || !Number.isFinite(number)) return '∞'
  if (number < 1000) return String(Number(number.toPrecision(3)))
  const power = Math.min(Math.floor(Math.log10(number) / 3 + 1e-9), UNITS.length - 1)
  const scaled = number / 1000 ** power
  return `${scaled < 1000 ? Number(scaled.toPrecision(3)) : Math.round(scaled)}${UNITS[power]}`
}

/** `≈ 63.6k users (9 of 10 from 46.9k to 99.5k)`; without the interval where all draws agree. */
export function estimate(answer: Answer, format: (number: number | null) => string, unit = ''): string {
  if (answer.mid === null) return answer.low === null ? 'without end' : `at least ≈ ${format(answer.low)}${unit}`
  const [low, mid, high] = [format(answer.low), format(answer.mid), format(answer.high)]
  return low === high ? `≈ ${mid}${unit}` : `≈ ${mid}${unit} (9 of 10 from ${low} to ${high})`
}

/** A latency, without end as ∞. */
export function formatLatency(milliseconds: number | null): string {
  return milliseconds === null ? '∞' : formatMs(milliseconds)
}

/** `$12.4k` */
export function formatDollars(dollars: number | null): string {
  return `$${formatShort(dollars)}`
}

export type CapacityTone = 'accent' | 'warning' | 'danger'

/** What the page says before all else: what breaks first, and at how many users. */
export function headlineOf(capacity: CapacityAnswer): { text: string; tone: CapacityTone } {
  const [first] = capacity.firsts
  const users = capacity.users_taken
  if (!first || !users) return { text: 'Nothing breaks at these rates.', tone: 'accent' }
  const { binding } = first
  if (first.is_slow_alone) {
    return {
      text: `${binding.query ?? ''} breaks its SLO with nothing else running. No node helps it.`,
      tone: 'danger',
    }
  }
  const at = estimate(users, formatShort, ' users')
  const tone = (capacity.growth.mid ?? Infinity) < 1 ? 'danger' : 'accent'
  if (capacity.is_full_of_data) return { text: `The data fills the node first, at ${at}.`, tone }
  if (binding.kind === 'query') return { text: `Breaks first: ${binding.query ?? ''}, at ${at}.`, tone }
  const hasSlos = capacity.queries.some((query) => query.slo_ms !== null)
  const subject = capacity.nodes === 1 ? 'The node fills' : 'The nodes fill'
  return { text: `${subject} first, at ${at}${hasSlos ? '; until then all SLOs are kept' : ''}.`, tone }
}

/** What more is to know about that: how sure it is, and what the present load is. */
export function belowHeadline(capacity: CapacityAnswer): string {
  const where = capacity.is_one_node
    ? 'One embedded store'
    : `${capacity.nodes} ${capacity.nodes === 1 ? 'node' : 'nodes'} of ${capacity.cores} ${capacity.cores === 1 ? 'core' : 'cores'}`
  const [first] = capacity.firsts
  const share = first ? `, in ${Math.round(first.share_of_draws * 100)} of 100 draws` : ''
  return `${where}${share}. The work of a query is ${capacity.demands}.`
}

/** `kept`, `likely kept`, `likely broken`, `broken`; null without an SLO. */
export function verdictOf(latency: Answer, sloMs: number | null): { text: string; tone: CapacityTone } | null {
  if (sloMs === null) return null
  const [low, mid, high] = [latency.low ?? Infinity, latency.mid ?? Infinity, latency.high ?? Infinity]
  if (high <= sloMs) return { text: 'kept', tone: 'accent' }
  if (low > sloMs) return { text: 'broken', tone: 'danger' }
  return mid <= sloMs ? { text: 'likely kept', tone: 'warning' } : { text: 'likely broken', tone: 'danger' }
}

/** `p99`, or `p95` where that is the quantile of the SLO. */
export function quantileName({ quantile }: { quantile: number }): string {
  return `p${Number((quantile * 100).toFixed(4))}`
}

/** What limits a number of users. */
export function bindingText(binding: Binding): string {
  return binding.kind === 'query' ? (binding.query ?? '') : binding.kind === 'data' ? 'the data' : 'how busy nodes are'
}
