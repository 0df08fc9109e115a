import { PencilLine } from 'lucide-react'
import type { Axis } from '../../api/types'
import { aboutMs } from '../../logic/estimate'
import { Badge } from '../../ui/Badge'
import { Button } from '../../ui/Button'
import { formatMs } from '../../units'
import styles from './heatmap.module.css'
import { writeLimits } from './write-limits'

/** A limit and the value that it has in the shown cell. */
export interface Limit {
  axis: Axis
  value: number
}

interface CellDetailProps {
  query: string
  limits: readonly Limit[]
  /** The latency of the median interval in milliseconds. */
  typical: number | null
  /** The latency of the worst interval, which decides whether the SLO is kept. */
  worst: number | null
  state: string
  isKept: boolean
  /** `worst` times this is the latency that 9 of 10 cases stay below. */
  upperFactor: number | null
  isChosen: boolean
  description: string
  /** The word for what can be chosen, such as `a cell`. */
  whatToChoose: string
}

/** The shown cell in words and numbers; if it is chosen, its limits can be written into the text. */
export function CellDetail({
  query,
  limits,
  typical,
  worst,
  state,
  isKept,
  upperFactor,
  isChosen,
  description,
  whatToChoose,
}: CellDetailProps) {
  return (
    <section className={styles['detail']} aria-label={isChosen ? 'Chosen cell' : 'Cell'}>
      <p className={styles['detailNumbers']} title={description}>
        <strong className={styles['p99']}>{aboutMs(typical)}</strong>
        {state === 'refused' ? (
          <Badge tone="warning">not predicted: too far beyond what was measured</Badge>
        ) : (
          <>
            <Badge tone={isKept ? 'accent' : 'danger'}>{isKept ? 'keeps the SLO' : 'breaks the SLO'}</Badge>
            <Badge>{state}</Badge>
          </>
        )}
      </p>
      <p className={styles['detailText']}>
        {limits.map(({ axis, value }, index) => (
          <span key={axis.symbol}>
            {index > 0 ? ' × ' : ''}
            {axis.label} <b>{value}</b>
          </span>
        ))}
        {upperFactor && worst ? (
          <span title="It held for 9 of 10 points that the model had not seen.">
            {' '}
            · 9 of 10 ≤ {formatMs(worst * upperFactor)}
          </span>
        ) : null}
        {worst !== null && worst !== typical ? (
          <span title="The SLO is kept where the worst interval of the profile run keeps it.">
            {' '}
            · worst interval {aboutMs(worst)}
          </span>
        ) : null}
      </p>
      {isChosen ? (
        <WriteButtons query={query} limits={limits} />
      ) : (
        <p className={styles['detailText']}>Choose {whatToChoose} to write its limits into the text.</p>
      )}
    </section>
  )
}

/** Buttons that write the limits that differ from the text, all together or one alone. */
function WriteButtons({ query, limits }: Pick<CellDetailProps, 'query' | 'limits'>) {
  const changes = limits.filter(({ axis, value }) => value !== axis.current && axis.number_ranges.length > 0)
  const write = (chosen: readonly Limit[]) =>
    void writeLimits(
      chosen.map(({ axis: { symbol, label, current }, value }) => ({ query, symbol, label, current, value })),
    )
  return (
    <div className={styles['detailActions']}>
      {changes.length === 0 ? (
        <span className={styles['detailText']}>These are the limits in the text.</span>
      ) : (
        <Button
          size="small"
          look="primary"
          isWrapped
          icon={<PencilLine size={12} aria-hidden />}
          onClick={() => write(changes)}
        >
          {changes.length === 1
            ? `Write ${changes[0]?.value} into the text`
            : `Write ${changes.length === 2 ? 'both' : 'all'} limits into the text`}
        </Button>
      )}
      {changes.length > 1
        ? changes.map((change) => (
            <Button key={change.axis.symbol} size="small" isWrapped onClick={() => write([change])}>
              Only {change.axis.label}: {change.value}
            </Button>
          ))
        : null}
    </div>
  )
}
