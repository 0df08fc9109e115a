import { memo } from 'react'
import type { QueryLatency, QueryPrice } from '../../api/types'
import { observedCompliance, predictedCompliance } from '../../logic/compliance'
import { aboutMs } from '../../logic/estimate'
import { type Comparison, predictedForSeen, type Verdict } from '../../logic/latency-comparison'
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
  /** What is unlike a query's own past, in the words of a badge. */
  unusual: ReadonlyMap<string, string>
  onChoose: (query: string) => void
  prices: ReadonlyMap<string, QueryPrice>
}

/** The comparison of `ComparisonList` as a table of numbers; what decides the verdict comes first. */
export function ComparisonTable({ ranked, selected, unusual, onChoose, prices }: ComparisonTableProps) {
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
          <Row
            key={latency.query}
            latency={latency}
            verdict={verdict}
            sentence={sentence}
            isSelected={latency.query === selected}
            unusual={unusual.get(latency.query)}
            price={prices.size > 0 ? (prices.get(latency.query) ?? 'none') : undefined}
            onChoose={onChoose}
          />
        ))}
      </Table>
    </div>
  )
}

interface RowProps {
  latency: QueryLatency
  verdict: Verdict
  sentence: string
  isSelected: boolean
  unusual: string | undefined
  /** The price of this query, `none` where other queries have one; undefined where nothing has a price. */
  price: QueryPrice | 'none' | undefined
  onChoose: (query: string) => void
}

const Row = memo(function Row({ latency, verdict, sentence, isSelected, unusual, price, onChoose }: RowProps) {
  return (
    <tr className={styles['tableRow']} data-selected={isSelected}>
      <th scope="row">
        <button type="button" className={styles['tableButton']} onClick={() => onChoose(latency.query)}>
          {latency.query}
        </button>
      </th>
      <Cell>
        <span title={sentence}>
          <Badge tone={TONES[verdict]}>{WORDS[verdict]}</Badge>
        </span>{' '}
        {unusual ? <Badge tone="warning">{unusual}</Badge> : null}
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
      {price ? (
        <>
          <Cell isNumeric>{mostText(price === 'none' ? undefined : price)}</Cell>
          <Cell isNumeric>{latency.price ? onAverageText(latency.price) : '–'}</Cell>
        </>
      ) : null}
      <Cell isNumeric>{formatCount(latency.executions)}</Cell>
      <Cell isNumeric>{formatMs(latency.observed?.p50_ms)}</Cell>
      <Cell isNumeric>{aboutMs(latency.predicted?.typical_p99_ms)}</Cell>
      <Cell isNumeric>{formatCount(latency.agreement?.executions ?? 0)}</Cell>
    </tr>
  )
})
