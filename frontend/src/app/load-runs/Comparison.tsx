import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { loadComparison, loadRuns } from '../../api/load-queries'
import type { LoadRun } from '../../api/types'
import { SelectField } from '../../ui/Field'
import { ErrorNotice } from '../../ui/Notice'
import { Cell, numeric, Table } from '../../ui/Table'
import { useEnvironment } from '../url-state'
import styles from './load-runs.module.css'
import { runTitle } from './run-title'

/** Holds a run against another one of the environment, the earlier of the two first. */
export function Comparison({ run }: { run: LoadRun }) {
  const titleId = useId()
  const environment = useEnvironment()
  const { data: runs } = useQuery(loadRuns(environment))
  const [chosen, setChosen] = useState('')
  const others = (runs ?? []).filter((other) => other.id !== run.id && other.has_result)
  if (others.length === 0) return null
  return (
    <section className={styles['section']} aria-labelledby={titleId}>
      <h2 id={titleId}>Compare</h2>
      <div className={styles['choice']}>
        <SelectField label="Compare with" value={chosen} onChange={(event) => setChosen(event.target.value)}>
          <option value="">no other run</option>
          {others.map((other) => (
            <option key={other.id} value={other.id}>
              {runTitle(other)}
            </option>
          ))}
        </SelectField>
      </div>
      {chosen === '' ? null : <Compared {...inOrder(run, chosen, others)} />}
    </section>
  )
}

function inOrder(run: LoadRun, chosen: string, others: readonly LoadRun[]): { first: string; second: string } {
  const other = others.find(({ id }) => id === chosen)
  return other && other.created_at < run.created_at
    ? { first: chosen, second: run.id }
    : { first: run.id, second: chosen }
}

function Compared({ first, second }: { first: string; second: string }) {
  const { data, error } = useQuery(loadComparison(useEnvironment(), first, second))
  if (error) return <ErrorNotice error={error} />
  if (!data) return null
  const [query = 'query', ...others] = data.columns
  return (
    <>
      {data.rows.length > 0 ? (
        <Table label="Two runs compared" columns={[query, ...others.map(numeric)]}>
          {data.rows.map((cells) => (
            <tr key={cells.slice(0, 2).join(' ')}>
              {cells.map((cell, index) => (
                <Cell key={data.columns[index]} isNumeric={index > 0}>
                  {cell}
                </Cell>
              ))}
            </tr>
          ))}
        </Table>
      ) : null}
      {data.differences.map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
      <p className={styles['soft']}>{data.stated}</p>
    </>
  )
}
