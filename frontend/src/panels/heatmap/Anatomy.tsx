import type { Prediction } from '../../api/types'
import { IntervalDots } from '../../charts/IntervalDots'
import { aboutMs, worstText } from '../../logic/estimate'
import type { SloTarget } from '../../logic/view'
import { Badge } from '../../ui/Badge'
import { formatMs, formatPercent, plural } from '../../units'
import styles from './heatmap.module.css'

/** The parts of a prediction that are shown here: one of a query, or one of a page of several queries. */
type Anatomical = Pick<
  Prediction,
  'typical_p99_ms' | 'p99_ms' | 'is_noisy' | 'conservative_p99_ms' | 'p99_by_interval_ms' | 'risk'
> & {
  operators: readonly Pick<Prediction['operators'][number], 'path' | 'operator' | 'part_of_p99_ms'>[]
}

interface AnatomyProps {
  prediction: Anatomical
  slo: SloTarget
  title?: string
  label?: string
}

/**
 * A prediction in detail: the part of each operator in the p99, its variation between intervals, and the risk for the
 * SLO.
 */
export function Anatomy({
  prediction,
  slo,
  title = 'With the limits in the text',
  label = 'The limits in the text',
}: AnatomyProps) {
  const { typical_p99_ms, p99_ms, conservative_p99_ms, p99_by_interval_ms, operators } = prediction
  const worst = worstText(p99_ms, p99_by_interval_ms.length)
  const heaviest = operators.toSorted((a, b) => b.part_of_p99_ms - a.part_of_p99_ms)[0]
  return (
    <section className={styles['anatomy']} aria-label={label}>
      <h3 className={styles['safeTitle']}>{title}</h3>
      <p className={styles['detailText']}>
        p99 <b>{aboutMs(typical_p99_ms)}</b>
        {conservative_p99_ms === null ? null : (
          <span title="It held for 9 of 10 points that the model had not seen.">
            {' '}
            (9 of 10 ≤ <b>{formatMs(conservative_p99_ms)}</b>)
          </span>
        )}
        {worst === null ? null : <span title="The SLO is kept where the worst interval keeps it."> · {worst}</span>}{' '}
        {prediction.is_noisy ? <Badge tone="warning">noisy run</Badge> : null}
      </p>
      <div
        className={styles['parts']}
        role="img"
        aria-label={`Parts of p99: ${operators.map((operator) => `${operator.operator} ${formatMs(operator.part_of_p99_ms)}`).join(', ')}`}
      >
        {operators.map((operator) => (
          <span
            key={operator.path}
            data-heaviest={operator === heaviest}
            style={{ flexGrow: Math.max(operator.part_of_p99_ms / p99_ms, 0.001) }}
            title={`${operator.operator}: ${formatMs(operator.part_of_p99_ms)} of ${formatMs(p99_ms)}`}
          >
            {operator.part_of_p99_ms / p99_ms > 0.18
              ? `${operator.operator} ${shareText(operator.part_of_p99_ms / p99_ms)}`
              : ''}
          </span>
        ))}
      </div>
      {operators.length > 1 ? (
        <ul className={styles['partList']}>
          {operators.map((operator) => (
            <li key={operator.path}>
              {operator.operator} <b>{formatMs(operator.part_of_p99_ms)}</b>
            </li>
          ))}
        </ul>
      ) : null}
      {p99_by_interval_ms.length > 1 ? (
        <div className={styles['intervals']}>
          <IntervalDots
            values={p99_by_interval_ms}
            thresholdMs={slo.threshold_ms}
            label={`p99 of ${plural(p99_by_interval_ms.length, 'interval')}, from ${formatMs(Math.min(...p99_by_interval_ms))} to ${formatMs(Math.max(...p99_by_interval_ms))}`}
          />
          <p className={styles['detailText']}>{riskText(prediction)}</p>
        </div>
      ) : null}
    </section>
  )
}

/** A share in whole per cent; `over 99 %` for one that would be rounded to 100. */
function shareText(share: number): string {
  return share < 1 && share >= 0.995 ? 'over 99 %' : formatPercent(share, 0)
}

function riskText({ risk }: Anatomical): string {
  if (!risk) return ''
  const broken = `${risk.violations} of ${plural(risk.intervals, 'interval')} ${risk.violations === 1 ? 'breaks' : 'break'} the SLO`
  return risk.is_shown
    ? `${broken}: a risk of ${formatPercent(risk.low)} to ${formatPercent(risk.high)} (95 %)`
    : `${broken}; a risk is stated from 20 intervals on`
}
