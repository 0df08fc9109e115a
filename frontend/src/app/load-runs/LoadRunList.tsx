import { useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import { isCalling, loadRuns } from '../../api/load-queries'
import { Badge } from '../../ui/Badge'
import { EmptyState } from '../../ui/EmptyState'
import { ErrorNotice } from '../../ui/Notice'
import { Progress } from '../../ui/Progress'
import { formatDay } from '../../units'
import framed from '../framed-list.module.css'
import { useEnvironment } from '../url-state'
import { ViewLink } from '../ViewLink'
import styles from './load-runs.module.css'
import { askedOf, runTitle, TONES } from './run-title'

/** The runs of the environment, the newest first, each a link to its page. */
export function LoadRunList() {
  const titleId = useId()
  const environment = useEnvironment()
  const { data: runs, error } = useQuery(loadRuns(environment))
  return (
    <section className={styles['section']} aria-labelledby={titleId}>
      <h2 id={titleId}>Runs</h2>
      {error ? <ErrorNotice error={error} /> : null}
      {runs?.length === 0 ? (
        <EmptyState title="No load run yet">
          A load run calls deployed queries as often as you say, and shows how long they take meanwhile.
        </EmptyState>
      ) : (
        <ul className={framed['list']} aria-label="Load runs">
          {(runs ?? []).map((run) => (
            <li key={run.id} className={framed['item']}>
              <div className={styles['row']}>
                <ViewLink to={{ loadRun: run.id }} className={styles['title']}>
                  {runTitle(run)}
                </ViewLink>
                <Badge tone={TONES[run.state]}>{run.state}</Badge>
              </div>
              <p className={styles['soft']}>
                {askedOf(run)} · {formatDay(run.created_at)}
                {run.started_by ? ` by ${run.started_by}` : ''}
              </p>
              {isCalling(run) ? (
                <Progress label={`Progress of ${runTitle(run)}`} share={run.seconds_done / run.seconds_total} />
              ) : null}
              {run.message ? <p>{run.message}</p> : null}
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
