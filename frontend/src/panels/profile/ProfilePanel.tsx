import { useQuery } from '@tanstack/react-query'
import { Gauge } from 'lucide-react'
import { isActive, profileRuns } from '../../api/queries'
import { useEnvironment } from '../../app/url-state'
import { EmptyState } from '../../ui/EmptyState'
import { ErrorNotice } from '../../ui/Notice'
import { ImportRun } from './ImportRun'
import { NewRun } from './NewRun'
import styles from './profile.module.css'
import { RunCard } from './RunCard'
import { useRunEvents } from './run-events'

/** Profile runs, which measure the operators on the store: a form that starts one, and a card for each run. */
export default function ProfilePanel() {
  const environment = useEnvironment()
  const { data: runs, error } = useQuery(profileRuns(environment))
  useRunEvents(runs ?? [])
  return (
    <div className={styles['panel']}>
      <NewRun isBusy={(runs ?? []).some(isActive)} />
      <section className={styles['runs']} aria-label="Profile runs">
        <div className={styles['headingLine']}>
          <h2 className={styles['heading']}>Runs</h2>
          <ImportRun />
        </div>
        {error ? <ErrorNotice error={error} /> : null}
        {runs?.length === 0 ? (
          <EmptyState icon={<Gauge size={22} aria-hidden />} title="Nothing measured yet">
            A run measures the remote operators and the parts of writes on this store. From it come the predicted p99 of
            every query and the heatmap.
          </EmptyState>
        ) : (
          <ul className={styles['list']} aria-label="Runs">
            {(runs ?? []).map((run) => (
              <li key={run.id}>
                <RunCard run={run} />
              </li>
            ))}
          </ul>
        )}
      </section>
    </div>
  )
}
