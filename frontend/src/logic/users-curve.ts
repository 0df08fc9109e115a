/** Latencies against numbers of users, as lines that can be drawn. */
import type { CapacityAnswer } from './capacity'

interface UsersPoint {
  users: number
  low: number
  mid: number
  high: number
}

export interface UsersLine {
  name: string
  /** `first` is what breaks first. */
  kind: 'first' | 'bounded' | 'unbounded'
  /** As far as the latency has an end. */
  points: readonly UsersPoint[]
  sloMs: number | null
  /** From how many users on it breaks its SLO; null where it does not. */
  breaksAt: number | null
}

/** How many times the highest SLO and bounded latency the axis goes to: what grows without a bound leaves the drawing. */
const BEYOND = 5
const LABEL_HEIGHT = 14

/** A line for each query, and one for each plan without a bound. */
export function linesOf(capacity: CapacityAnswer): UsersLine[] {
  const first = capacity.firsts[0]?.binding.query
  const bounded = capacity.queries.map(
    (query, index): UsersLine => ({
      name: query.query,
      kind: query.query === first ? 'first' : 'bounded',
      points: capacity.by_users.flatMap(({ users, latency_ms }) => {
        const { low = null, mid = null, high = null } = latency_ms[index] ?? {}
        return low === null || mid === null ? [] : [{ users, low, mid, high: high ?? mid }]
      }),
      sloMs: query.slo_ms,
      breaksAt: query.breaks_at_users?.mid ?? null,
    }),
  )
  const unbounded = capacity.unbounded.map(
    (plan, index): UsersLine => ({
      name: `${plan.query} without a bound`,
      kind: 'unbounded',
      points: capacity.by_users.flatMap(({ users, unbounded_ms }) => {
        const mid = unbounded_ms[index]
        return mid === undefined ? [] : [{ users, low: mid, mid, high: mid }]
      }),
      sloMs: plan.slo_ms,
      breaksAt: plan.breaks_at_users,
    }),
  )
  return [...bounded, ...unbounded]
}

/** The ends of the axis of latencies. */
export function usersSpan(lines: readonly UsersLine[], slosMs: readonly number[]): { low: number; high: number } {
  const all = lines.flatMap(({ points }) => points.flatMap(({ low, mid }) => [low, mid])).filter((ms) => ms > 0)
  const bounded = lines.flatMap(({ kind, points }) => (kind === 'unbounded' ? [] : points.map(({ mid }) => mid)))
  const low = Math.min(...all, ...slosMs)
  const high = Math.max(...slosMs, ...bounded) * BEYOND
  return Number.isFinite(low) && Number.isFinite(high) && low < high ? { low: low / 1.5, high } : { low: 1, high: 1000 }
}

/** Where a line ends, or leaves the drawing at its upper edge: it is straight between two points, by logarithms. */
export function endOf({ points }: UsersLine, high: number): { users: number; ms: number } | null {
  const beyond = points.findIndex(({ mid }) => mid > high)
  const after = points[beyond]
  const before = points.at(beyond < 0 ? -1 : Math.max(0, beyond - 1))
  if (!before) return null
  if (!after || after === before) return { users: before.users, ms: Math.min(before.mid, high) }
  const share = Math.log(high / before.mid) / Math.log(after.mid / before.mid)
  return { users: before.users * (after.users / before.users) ** share, ms: high }
}

interface Label {
  name: string
  x: number
  y: number
}

/** Labels at the ends of lines, moved apart so that none covers another. */
export function placedLabels(labels: readonly Label[], top: number, bottom: number): Label[] {
  let free = top
  const down = labels
    .toSorted((one, other) => one.y - other.y)
    .map((label) => {
      const y = Math.max(label.y, free)
      free = y + LABEL_HEIGHT
      return { ...label, y }
    })
  const excess = Math.max(0, free - LABEL_HEIGHT - bottom)
  return down.map((label) => ({ ...label, y: Math.max(top, label.y - excess) }))
}

/** What the drawing says, in a sentence. */
export function curveLabel(lines: readonly UsersLine[], format: (users: number) => string): string {
  const breaks = lines.flatMap(({ name, breaksAt }) =>
    breaksAt === null ? [] : [`${name} breaks its SLO at ≈ ${format(breaksAt)} users`],
  )
  const what = `Latency of ${lines.map(({ name }) => name).join(', ')} from 1k to 1G users`
  return breaks.length > 0 ? `${what}: ${breaks.join(', ')}` : what
}
