import { memo, useMemo } from 'react'
import type { QueryLatency } from '../../api/types'
import { LatencyAxis, LatencyDots } from '../../charts/LatencyDots'
import { useSize } from '../../charts/useSize'
import { observedCompliance, predictedCompliance } from '../../logic/compliance'
import { aboutMs } from '../../logic/estimate'
import { type Comparison, type LogAxis, logAxis, predictedForSeen, type Verdict } from '../../logic/latency-comparison'
import { Badge } from '../../ui/Badge'
import { formatCount, formatMs, plural } from '../../units'
import { ComplianceBadge } from './ComplianceBadge'
import styles from './dashboard.module.css'
import { complianceText, TONES, WORDS } from './verdicts'

interface ComparisonProps {
  ranked: readonly Comparison<QueryLatency>[]
  selected: string | undefined
  /** What is unlike a query's own past, in the words of a badge. */
  unusual: ReadonlyMap<string, string>
  onChoose: (query: string) => void
}

/** A row for each query: predicted and observed p99 on an axis that all rows share, numbers, and the verdict. */
export function ComparisonList({ ranked, selected, unusual, onChoose }: ComparisonProps) {
  const [frame, { width }] = useSize<HTMLDivElement>()
  const ends = logAxis(
    ranked.flatMap(({ latency }) =>
      [
        predictedForSeen(latency)?.typical_p99_ms,
        latency.observed?.p99_ms,
        latency.observed?.p99_low_ms,
        latency.observed?.p99_high_ms,
      ].filter((value): value is number => typeof value === 'number'),
    ),
  )
  // Rows that stayed the same are not drawn again when others change: the axis is the same value while its ends are.
  const axis = useMemo(() => logAxis([ends.low, ends.high]), [ends.low, ends.high])
  const chartWidth = Math.max(120, width)
  return (
    <>
      <div className={styles['key']} aria-hidden>
        <span>
          <i className={styles['keyPredicted']} /> predicted p99 for what ran
        </span>
        <span>
          <i className={styles['keyObserved']} /> observed p99, 95 % interval
        </span>
        <span>
          <i className={styles['keySlo']} /> SLO
        </span>
      </div>
      <div className={styles['rows']}>
        <ul aria-label="Queries by latency">
          {ranked.map(({ latency, verdict, sentence }) => (
            <li key={latency.query}>
              <Row
                latency={latency}
                verdict={verdict}
                sentence={sentence}
                isSelected={latency.query === selected}
                unusual={unusual.get(latency.query)}
                axis={axis}
                width={chartWidth}
                onChoose={onChoose}
              />
            </li>
          ))}
        </ul>
        <div className={styles['axisRow']}>
          <div ref={frame} className={styles['axisChart']}>
            <LatencyAxis axis={axis} width={chartWidth} />
          </div>
        </div>
      </div>
    </>
  )
}

interface RowProps {
  latency: QueryLatency
  verdict: Verdict
  sentence: string
  isSelected: boolean
  unusual: string | undefined
  axis: LogAxis
  width: number
  onChoose: (query: string) => void
}

const Row = memo(function Row({ latency, verdict, sentence, isSelected, unusual, axis, width, onChoose }: RowProps) {
  return (
    <button type="button" className={styles['row']} aria-current={isSelected} onClick={() => onChoose(latency.query)}>
      <span className={styles['rowName']}>
        <code title={latency.query}>{latency.query}</code>
        <span className={styles['rowFacts']}>
          {plural(latency.executions, 'execution')}
          {latency.failures > 0 ? `, ${formatCount(latency.failures)} failed` : ''}
        </span>
      </span>
      <span className={styles['rowChart']}>
        <LatencyDots
          axis={axis}
          width={width}
          data={{
            predicted: predictedForSeen(latency)?.typical_p99_ms ?? null,
            observed: latency.observed?.p99_ms ?? null,
            low: latency.observed?.p99_low_ms ?? null,
            high: latency.observed?.p99_high_ms ?? null,
            slo: latency.slo?.threshold_ms ?? null,
          }}
        />
      </span>
      <span className={styles['rowNumbers']}>
        <span>
          {formatMs(latency.observed?.p99_ms)} <Beside latency={latency} />
        </span>
        <span className={styles['soft']}>{complianceText(latency)}</span>
        {latency.predicted_compliance?.agreement ? (
          <span className={styles['within']}>
            in time: {observedCompliance(latency)} of {predictedCompliance(latency)}
          </span>
        ) : null}
      </span>
      <span className={styles['rowVerdict']} title={sentence}>
        <Badge tone={TONES[verdict]}>{WORDS[verdict]}</Badge>
        {unusual ? <Badge tone="warning">{unusual}</Badge> : null}
        {isApart(latency) ? <ComplianceBadge latency={latency} /> : null}
      </span>
    </button>
  )
})

/** Whether the SLO is kept less, or more, than predicted; the other verdicts stand in the table and in the detail. */
function isApart({ predicted_compliance }: QueryLatency): boolean {
  const outcome = predicted_compliance?.agreement?.outcome
  return outcome === 'worse' || outcome === 'better'
}

/** The prediction beside the observed p99. */
function Beside({ latency }: { latency: QueryLatency }) {
  const predicted = predictedForSeen(latency)
  return predicted ? <span className={styles['soft']}>of {aboutMs(predicted.typical_p99_ms)}</span> : null
}
