import { useQuery } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { experimentResult, fileOf } from '../../api/experiment-queries'
import type { Experiment } from '../../api/types'
import { durationOf, placeOf, valueText } from '../../logic/experiment-words'
import { Badge } from '../../ui/Badge'
import { EmptyState } from '../../ui/EmptyState'
import { ErrorNotice } from '../../ui/Notice'
import { Cell, numeric, Table } from '../../ui/Table'
import { formatDay } from '../../units'
import styles from './experiments.module.css'
import { NoStore } from './NoStore'
import { RunButton } from './RunButton'
import { StoreChoice } from './StoreChoice'
import { TONES, VerdictBadge } from './VerdictBadge'

/** One experiment: what the paper claims beside what was found here, the figure, and every number. */
export function OneExperiment({
  experiment,
  runOn,
  onStore,
}: {
  experiment: Experiment
  runOn: string
  onStore: (store: string) => void
}) {
  const { name, title, paper, about, ended_at, seconds, message, store, not_on_stores } = experiment
  return (
    <>
      <div className={styles['row']}>
        <span>{paper}</span>
        <VerdictBadge experiment={experiment} />
        <span className={styles['end']}>
          {ended_at === null ? null : (
            <a href={fileOf(name, 'page', ended_at)} download={`${name}.html`}>
              <Download size={13} aria-hidden /> Page
            </a>
          )}
          <RunButton experiment={experiment} runOn={not_on_stores === null ? runOn : ''} />
        </span>
      </div>
      <p>{about}</p>
      {not_on_stores === null ? <StoreChoice value={runOn} onChange={onStore} /> : <NoStore experiment={experiment} />}
      {message ? <p className={styles['error']}>{message}</p> : null}
      {ended_at === null ? (
        <EmptyState title="Not run yet">It takes {durationOf(experiment)} on a small machine.</EmptyState>
      ) : (
        <>
          <Claims experiment={experiment} />
          {experiment.has_figure ? (
            <img className={styles['figure']} src={fileOf(name, 'figure', ended_at)} alt={`The figure of ${title}`} />
          ) : null}
          <Rows name={name} endedAt={ended_at} />
          <p className={styles['soft']}>
            Run {formatDay(ended_at)}
            {seconds === null ? '' : `, in ${valueText(Math.round(seconds))} s`}
            {store === null ? '' : `, ${placeOf(store)}`}.
          </p>
        </>
      )}
    </>
  )
}

function Claims({ experiment }: { experiment: Experiment }) {
  return (
    <Table label="Claims" columns={['The paper', 'Here', 'Verdict']}>
      {experiment.claims.map((claim) => (
        <tr key={claim.paper}>
          <Cell className={styles['sentence']}>{claim.paper}</Cell>
          <Cell className={styles['sentence']}>{claim.ours}</Cell>
          <Cell>
            <Badge tone={TONES[claim.verdict]}>{claim.verdict}</Badge>
          </Cell>
        </tr>
      ))}
    </Table>
  )
}

function Rows({ name, endedAt }: { name: string; endedAt: string }) {
  const { data, error } = useQuery(experimentResult(name, endedAt))
  if (error) return <ErrorNotice error={error} />
  if (!data) return null
  const isNumeric = data.columns.map((_, at) => data.rows.every((row) => typeof row[at] !== 'string'))
  return (
    <>
      <p className={styles['soft']}>{data.how}</p>
      <div className={styles['rows']}>
        <Table label="Rows" columns={data.columns.map((column, at) => (isNumeric[at] ? numeric(column) : column))}>
          {data.rows.map((row, at) => (
            <tr key={at}>
              {row.map((value, column) => (
                <Cell key={data.columns[column]} isNumeric={isNumeric[column] ?? false}>
                  {valueText(value)}
                </Cell>
              ))}
            </tr>
          ))}
        </Table>
      </div>
    </>
  )
}
