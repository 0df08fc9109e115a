import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { CircleAlert, CircleCheck, TriangleAlert } from 'lucide-react'
import { deployments, health } from '../api/queries'
import { useCompilationState } from '../documents/compile-loop'
import { useProblemCount } from '../panels/problems/ProblemsPanel'
import { formatMs, plural } from '../units'
import styles from './app.module.css'
import { useCaret } from './editor-bridge'
import { HealthProblems } from './HealthProblems'
import { openPanel } from './panel-view'
import { region } from './regions'
import { StoreStatus } from './StoreStatus'
import { useEnvironment } from './url-state'

/** The bar at the bottom: problems, the last compilation, the caret, what is live, and how the store is. */
export function StatusBar() {
  const environment = useEnvironment()
  const { errors, warnings } = useProblemCount()
  const compilation = useCompilationState((state) => state.compilation)
  const error = useCompilationState((state) => state.error)
  const caret = useCaret((state) => state.caret)
  const { data: server, isError: isAway } = useQuery(health(environment))
  const { data: versions } = useInfiniteQuery(deployments(environment))
  const live = versions?.find((version) => version.is_live)
  return (
    <section className={styles['status']} {...region('Status')}>
      <button type="button" className={styles['statusButton']} onClick={() => openPanel('problems')}>
        {error || errors > 0 ? (
          <CircleAlert size={13} className={styles['dangerIcon']} aria-hidden />
        ) : warnings > 0 ? (
          <TriangleAlert size={13} className={styles['warningIcon']} aria-hidden />
        ) : (
          <CircleCheck size={13} className={styles['accentIcon']} aria-hidden />
        )}
        {error
          ? 'Not compiled'
          : errors + warnings === 0
            ? 'No problems'
            : [errors && plural(errors, 'error'), warnings && plural(warnings, 'warning')].filter(Boolean).join(', ')}
      </button>
      {compilation && !error ? <span className="numeric">compiled in {formatMs(compilation.elapsed_ms)}</span> : null}
      <span className={styles['grow']} />
      {caret ? (
        <span className="numeric">
          Ln {caret.line}, Col {caret.column}
        </span>
      ) : null}
      <button type="button" className={styles['statusButton']} onClick={() => openPanel('deploy')}>
        {live ? `Live: version ${live.version}` : 'Nothing deployed'}
      </button>
      {server && !isAway ? <HealthProblems problems={server.problems} /> : null}
      {server || isAway ? <StoreStatus store={server?.store ?? null} isAway={isAway} /> : null}
    </section>
  )
}
