import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { pagePrediction } from '../../api/queries'
import type { PagePrediction } from '../../api/types'
import { isPredicted, planKey } from '../../app/predictions'
import { useShownAnswer } from '../../app/shown-compilation'
import { setView, useEnvironment, useView } from '../../app/url-state'
import { aboutMs } from '../../logic/estimate'
import type { SloTarget } from '../../logic/view'
import { Button } from '../../ui/Button'
import { TextField } from '../../ui/Field'
import { Form } from '../../ui/Form'
import { ErrorNotice } from '../../ui/Notice'
import { Cell, numeric, Table } from '../../ui/Table'
import { formatCount, formatMs, plural } from '../../units'
import { Anatomy } from './Anatomy'
import styles from './heatmap.module.css'
import { NotMeasured } from './NotMeasured'
import { Warnings } from './Warnings'

/**
 * Predicts a page that runs several queries: `a, b | c` runs first a, then b and c together. Folded until it is opened.
 */
export function PageOfQueries({ runId, slo }: { runId: string; slo: SloTarget }) {
  const { together, query } = useView()
  const [typed, setTyped] = useState<string | null>(null)
  const text = typed ?? together ?? query ?? ''
  return (
    <details className={styles['fold']} open={together !== undefined}>
      <summary>A page of several queries</summary>
      <Form
        className={styles['page']}
        aria-label="Page of several queries"
        onSubmit={() => {
          setView({ together: text.trim() || undefined })
          setTyped(null)
        }}
      >
        <TextField
          label="Queries"
          hint="a, b | c: first a, then b and c together"
          value={text}
          onChange={(event) => setTyped(event.target.value)}
        />
        <Button type="submit">Predict the page</Button>
      </Form>
      {together ? <Predicted page={together} runId={runId} slo={slo} /> : null}
    </details>
  )
}

function Predicted({ page, runId, slo }: { page: string; runId: string; slo: SloTarget }) {
  const environment = useEnvironment()
  const { compilation, files } = useShownAnswer()
  const plans = (compilation?.queries ?? []).filter((query) => query.bound).map(planKey)
  const { data, error } = useQuery(pagePrediction(environment, JSON.stringify(plans), files, page, runId, slo))
  if (error) return <ErrorNotice error={error} />
  if (data && !isPredicted(data)) return <NotMeasured lack={data} />
  if (data?.page !== page) return <p className={styles['detailText']}>Predicting…</p>
  const operators = data.parts.map(({ query, part_of_p99_ms }, index) => ({
    path: `${index}:${query}`,
    operator: query,
    part_of_p99_ms,
  }))
  return (
    <>
      <p className={styles['detailText']}>
        At most <b>{plural(data.operations, 'operation')}</b> in {plural(data.round_trips, 'trip')}
      </p>
      <Anatomy
        prediction={{ ...data, operators }}
        slo={slo}
        title={`${data.meets_slo ? 'Keeps' : 'Breaks'} the SLO of ${formatMs(slo.threshold_ms)}`}
        label="Latency of the page"
      />
      <Parts parts={data.parts} />
      <Warnings warnings={data.warnings} />
    </>
  )
}

function Parts({ parts }: { parts: PagePrediction['parts'] }) {
  return (
    <Table
      label="Queries of the page"
      columns={['Query', numeric('Operations'), numeric('p99 alone'), numeric('Part of the page’s worst p99')]}
    >
      {parts.map((part, index) => (
        <tr key={`${index}:${part.query}`}>
          <th scope="row">{part.query}</th>
          <Cell isNumeric>≤ {formatCount(part.operations)}</Cell>
          <Cell isNumeric>{aboutMs(part.typical_p99_ms)}</Cell>
          <Cell isNumeric>{aboutMs(part.part_of_p99_ms)}</Cell>
        </tr>
      ))}
    </Table>
  )
}
