import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { safeLimits } from '../../api/queries'
import type { SafeLimits as SafeLimitsAnswer } from '../../api/types'
import { planKey } from '../../app/predictions'
import { useShownAnswer } from '../../app/shown-compilation'
import { targetOf, useDefaultSlo, useSavedSlos } from '../../app/slos'
import { useEnvironment, useView } from '../../app/url-state'
import { Button } from '../../ui/Button'
import { ErrorNotice } from '../../ui/Notice'
import { Cell, numeric, Table, unseen } from '../../ui/Table'
import { formatCount } from '../../units'
import styles from './heatmap.module.css'
import { writeLimits } from './write-limits'

/**
 * The largest value of every limit of the application for which all queries keep the tried SLO, or else their own.
 * Folded, and only requested when it is opened.
 */
export function SafeLimits({ runId }: { runId: string }) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <details className={styles['fold']} onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>All limits of this application</summary>
      {isOpen ? <Solved runId={runId} /> : null}
    </details>
  )
}

function Solved({ runId }: { runId: string }) {
  const environment = useEnvironment()
  const { compilation, files } = useShownAnswer()
  const plans = (compilation?.queries ?? []).filter((query) => query.bound).map(planKey)
  const { slo: tried } = useView()
  const saved = useSavedSlos()
  const usual = useDefaultSlo()
  const sloByQuery = tried ? {} : Object.fromEntries([...saved].map(([query, slo]) => [query, targetOf(slo)]))
  const { data, error } = useQuery(
    safeLimits(environment, JSON.stringify(plans), files, runId, tried ?? usual, sloByQuery),
  )
  if (error) return <ErrorNotice error={error} />
  if (!data) return <p className={styles['detailText']}>Solving…</p>
  return (
    <>
      <p className={styles['detailText']}>{sentence(data)}</p>
      <Table
        label="Largest limits that keep the SLO"
        columns={['Limit', numeric('Now'), numeric('Largest'), 'Next to break', unseen('Write')]}
      >
        {data.limits.map((limit) => (
          <tr key={`${limit.symbol}:${limit.queries.join()}`}>
            <th scope="row">
              {limit.label}
              {limit.queries.length === 1 ? <span className={styles['owner']}> {limit.queries[0]}</span> : null}
            </th>
            <Cell isNumeric>{formatCount(limit.current)}</Cell>
            <Cell isNumeric>{limit.largest === null ? 'none' : formatCount(limit.largest)}</Cell>
            <Cell>{limit.binding ?? 'not measured further'}</Cell>
            <Cell>
              {limit.largest !== null && limit.largest !== limit.current && limit.number_range !== null ? (
                <Button
                  size="small"
                  aria-label={`Write ${limit.largest} for ${limit.label} into the text`}
                  onClick={() =>
                    void writeLimits([
                      { ...limit, query: limit.queries[0] ?? '', value: limit.largest ?? limit.current },
                    ])
                  }
                >
                  Write
                </Button>
              ) : null}
            </Cell>
          </tr>
        ))}
      </Table>
    </>
  )
}

/** Whether all queries keep their SLOs, how far all limits can grow together, and which queries are not predicted. */
function sentence({ growth, binding, breaking, left_out }: SafeLimitsAnswer): string {
  const parts = []
  if (breaking.length > 0)
    parts.push(
      `As the limits are, ${list(breaking)} ${breaking.length === 1 ? 'is' : 'are'} not shown to keep the SLO.`,
    )
  else if (growth !== null && growth > 1)
    parts.push(
      `All limits may grow ${formatCount(growth)} times together${binding ? `; then ${binding} breaks the SLO` : ', as far as was measured'}.`,
    )
  else parts.push('All queries keep the SLO; together the limits cannot grow.')
  if (left_out.length > 0) parts.push(`Not predicted: ${list(left_out)}.`)
  parts.push('Each value is the largest while the other limits stay as they are.')
  return parts.join(' ')
}

function list(names: readonly string[]): string {
  return names.length > 3 ? `${names.slice(0, 3).join(', ')} and ${names.length - 3} more` : names.join(', ')
}
