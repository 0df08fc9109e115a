import type { QueryLatency, QueryPrice } from '../../api/types'
import { observedCompliance, predictedCompliance } from '../../logic/compliance'
import { aboutMs } from '../../logic/estimate'
import { type Comparison, predictedForSeen } from '../../logic/latency-comparison'
import { mostText, onAverageText } from '../../logic/price-words'
import { Badge } from '../../ui/Badge'
import { Cell, numeric, Table, unseen } from '../../ui/Table'
import { formatCount, formatMs, formatPercent } from '../../units'
import { ComplianceBadge } from './ComplianceBadge'
import styles from './dashboard.module.css'
import { budgetText, TONES, WORDS } from './verdicts'

interface ComparisonTableProps {
  ranked: readonly Comparison<QueryLatency>[]
  selected: string | undefined
  onChoose: (query: string) => void
  prices: ReadonlyMap<string, QueryPrice>
}

/** The comparison of `ComparisonList` as a table of numbers; what decides the verdict comes first. */
export function ComparisonTable({ ranked, selected, onChoose, prices }: ComparisonTableProps) {
  return (
    <div className={styles['numbers']}>
      <Table
        label="Predicted and observed latency"
        columns={[
          'Query',
          unseen('Verdict'),
          numeric('p99'),
          numeric('95 % interval'),
          numeric('Predicted for what ran'),
          numeric('SLO'),
          numeric('Kept'),
          numeric('Within the SLO'),
          numeric('Predicted within'),
          unseen('Verdict on the SLO'),
          numeric('Budget left'),
          numeric('Operations'),
          ...(prices.size > 0 ? [numeric('$ of 1,000 at most'), numeric('$ of 1,000 on average')] : []),
          numeric('Executions'),
          numeric('p50'),
          numeric('Predicted at the limits'),
          numeric('Compared'),
        ]}
      >
        {ranked.map(({ latency, verdict, sentence }) => (
          <tr key={latency.query} className={styles['tableRow']} data-selected={latency.query === selected}>
            <th scope="row">
              <button type="button" className={styles['tableButton']} onClick={() => onChoose(latency.query)}>
                {latency.query}
              </button>
            </th>
            <Cell>
              <span title={sentence}>
                <Badge tone={TONES[verdict]}>{WORDS[verdict]}</Badge>
              </span>
            </Cell>
            <Cell isNumeric>{formatMs(latency.observed?.p99_ms)}</Cell>
            <Cell isNumeric>
              {latency.observed?.p99_low_ms
                ? `${formatMs(latency.observed.p99_low_ms)} … ${formatMs(latency.observed.p99_high_ms)}`
                : '–'}
            </Cell>
            <Cell isNumeric>{aboutMs(predictedForSeen(latency)?.typical_p99_ms)}</Cell>
            <Cell isNumeric>{formatMs(latency.slo?.threshold_ms)}</Cell>
            <Cell isNumeric>{formatPercent(latency.compliance?.share)}</Cell>
            <Cell isNumeric>{observedCompliance(latency)}</Cell>
            <Cell isNumeric>{predictedCompliance(latency)}</Cell>
            <Cell>
              <ComplianceBadge latency={latency} />
            </Cell>
            <Cell isNumeric>{budgetText(latency)}</Cell>
            <Cell isNumeric>
              {latency.most_operations === null ? '–' : formatCount(latency.most_operations)} of ≤{' '}
              {formatCount(latency.bound_operations)}
            </Cell>
            {prices.size > 0 ? (
              <>
                <Cell isNumeric>{mostText(prices.get(latency.query))}</Cell>
                <Cell isNumeric>{latency.price ? onAverageText(latency.price) : '–'}</Cell>
              </>
            ) : null}
            <Cell isNumeric>{formatCount(latency.executions)}</Cell>
            <Cell isNumeric>{formatMs(latency.observed?.p50_ms)}</Cell>
            <Cell isNumeric>{aboutMs(latency.predicted?.typical_p99_ms)}</Cell>
            <Cell isNumeric>{formatCount(latency.agreement?.executions ?? 0)}</Cell>
          </tr>
        ))}
      </Table>
    </div>
  )
}
