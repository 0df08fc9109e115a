import type { Canary } from '../../api/types'
import { DIFFERENCE_TONES, type Difference, differenceText } from '../../logic/canary-words'
import { Badge } from '../../ui/Badge'
import { Cell, numeric, Table } from '../../ui/Table'
import { formatCount, formatMs, formatPercent } from '../../units'
import styles from './requests.module.css'

/** Each query that was executed in both versions or in one, side by side, with what the last test has shown. */
export function Compared({ canary }: { canary: Canary }) {
  const queries = canary.queries.filter(({ live, tried }) => tried.executions > 0 || (live?.executions ?? 0) > 0)
  if (queries.length === 0) return <p className={styles['soft']}>Nothing was executed since.</p>
  return (
    <Table
      label={`Version ${canary.base_version} and version ${canary.version}`}
      columns={[
        'Query',
        'Version',
        numeric('Executions'),
        numeric('p99'),
        'Slower?',
        numeric('Failed'),
        'Fails more?',
        numeric('Requests at most'),
        'More requests?',
        numeric('SLO kept'),
      ]}
    >
      {queries.flatMap((compared) => {
        const { query, live, tried, verdict, slo_quantile, slo_ms, burn } = compared
        const isPair = live !== null
        const slo =
          slo_quantile === null || slo_ms === null
            ? undefined
            : `SLO: ${formatPercent(slo_quantile, 0)} within ${formatMs(slo_ms)}${burn === null ? '' : `; broken ${burn.toFixed(1)} times as often as it allows`}`
        return [
          <tr key={`${query} live`}>
            <Cell>
              <code>{query}</code>
            </Cell>
            <Cell>{canary.base_version}</Cell>
            <Cell isNumeric>{live === null ? 'has none' : formatCount(live.executions)}</Cell>
            <Cell isNumeric>{formatMs(live?.p99_ms)}</Cell>
            <Cell />
            <Cell isNumeric>{formatCount(live?.failures ?? 0)}</Cell>
            <Cell />
            <Cell isNumeric>{most(live?.most_requests ?? null)}</Cell>
            <Cell />
            <Cell isNumeric>{formatPercent(live?.kept, 2)}</Cell>
          </tr>,
          <tr key={`${query} tried`}>
            <Cell />
            <Cell>{canary.version}</Cell>
            <Cell isNumeric>{formatCount(tried.executions)}</Cell>
            <Cell isNumeric>{formatMs(tried.p99_ms)}</Cell>
            <Cell>{isPair ? <Verdict measure="p99" difference={verdict.p99} /> : null}</Cell>
            <Cell isNumeric>{formatCount(tried.failures)}</Cell>
            <Cell>{isPair ? <Verdict measure="errors" difference={verdict.errors} /> : null}</Cell>
            <Cell isNumeric>{most(tried.most_requests)}</Cell>
            <Cell>{isPair ? <Verdict measure="requests" difference={verdict.requests} /> : null}</Cell>
            <Cell isNumeric title={slo}>
              {formatPercent(tried.kept, 2)}
              {burn !== null && burn > 1 ? <Badge tone="plain">burn {burn.toFixed(1)}</Badge> : null}
            </Cell>
          </tr>,
        ]
      })}
    </Table>
  )
}

function Verdict({ measure, difference }: { measure: 'p99' | 'errors' | 'requests'; difference: Difference }) {
  return <Badge tone={DIFFERENCE_TONES[difference]}>{differenceText(measure, difference)}</Badge>
}

function most(requests: number | null): string {
  return requests === null ? '–' : formatCount(requests)
}
