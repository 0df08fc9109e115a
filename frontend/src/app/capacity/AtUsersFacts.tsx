import type { AtUsers, Capacity } from '../../api/types'
import { bindingText, estimate, formatDollars, formatShort } from '../../logic/capacity-words'
import { formatPercent } from '../../units'
import styles from './capacity.module.css'

/** Nodes, their price, how busy they are and the data, at the number of users that is looked at. */
export function AtUsersFacts({ capacity, at }: { capacity: Capacity; at: AtUsers }) {
  const bytes = Object.values(at.bytes_of_tables)
  const data = {
    low: sumOf(bytes.map(({ low }) => low)),
    mid: sumOf(bytes.map(({ mid }) => mid)),
    high: sumOf(bytes.map(({ high }) => high)),
  }
  return (
    <dl className={styles['facts']} aria-label={`At ${formatShort(at.users)} users`}>
      <Fact name="Nodes">{nodesText(capacity, at)}</Fact>
      {at.dollars_a_month ? <Fact name="A month">{estimate(at.dollars_a_month, formatDollars)}</Fact> : null}
      <Fact name="Each busy to">{estimate(at.utilisation, (share) => formatPercent(share, 0))}</Fact>
      <Fact name="Requests a second">≈ {formatShort(at.requests_per_second)}</Fact>
      {bytes.length > 0 ? <Fact name="Data">{estimate(data, (size) => `${formatShort(size)}B`)}</Fact> : null}
      <Fact name="Limited by">{bindingText(at.binding)}</Fact>
    </dl>
  )
}

function Fact({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

/** The nodes that so many users need; one embedded store has no more than its one. */
export function nodesText(capacity: Capacity, { nodes, users }: AtUsers): string {
  if (!capacity.is_one_node) return nodes ? estimate(nodes, formatShort) : 'no number keeps the SLOs'
  const taken = capacity.users_taken?.mid ?? Infinity
  return users <= taken ? '1' : `more than the one, which takes ≈ ${formatShort(taken)} users`
}

function sumOf(sizes: readonly (number | null)[]): number {
  return sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0)
}
