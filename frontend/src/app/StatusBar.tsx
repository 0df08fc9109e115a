import { useQuery } from '@tanstack/react-query'
import { CircleAlert, CircleCheck, CircleDashed, TriangleAlert } from 'lucide-react'
import { isAway } from '../api/client'
import { health } from '../api/pulse'
import { useProblemCount } from '../panels/problems/ProblemsPanel'
import { formatMs, plural } from '../units'
import styles from './app.module.css'
import { useIsBehind } from './behind'
import { usePaintedCaret } from './editor-bridge'
import { HealthProblems } from './HealthProblems'
import { MOD } from './keys'
import { DRAWER, toggleProblems, useIsProblemsOpen } from './problems-drawer'
import { region } from './regions'
import { StoreStatus } from './StoreStatus'
import { useShownAnswer } from './shown-compilation'
import { useEnvironment } from './url-state'

/** The bar at the bottom: problems, the last compilation, the caret, and how the store is. */
export function StatusBar() {
  const environment = useEnvironment()
  const { errors, warnings, hints } = useProblemCount()
  const isOpen = useIsProblemsOpen()
  const { compilation, error } = useShownAnswer()
  const isBehind = useIsBehind()
  const { data: server, error: healthError } = useQuery(health(environment))
  const isServerAway = isAway(healthError)
  return (
    <section className={styles['status']} {...region('Status')}>
      <button
        type="button"
        className={styles['statusButton']}
        aria-expanded={isOpen}
        aria-controls={isOpen ? DRAWER : undefined}
        title={`${isOpen ? 'Close' : 'Show'} the problems (${MOD} Shift M)`}
        onClick={toggleProblems}
      >
        {error || (errors > 0 && !isBehind) ? (
          <CircleAlert size={13} className={styles['dangerIcon']} aria-hidden />
        ) : warnings > 0 && !isBehind ? (
          <TriangleAlert size={13} className={styles['warningIcon']} aria-hidden />
        ) : compilation && !isBehind ? (
          <CircleCheck size={13} className={styles['accentIcon']} aria-hidden />
        ) : (
          <CircleDashed size={13} aria-hidden />
        )}
        {error ? 'Not compiled' : compilation && !isBehind ? countText(errors, warnings, hints) : 'Compiling…'}
      </button>
      {compilation && !error && !isBehind ? (
        <span className="numeric">compiled in {formatMs(compilation.elapsed_ms)}</span>
      ) : null}
      <span className={styles['grow']} />
      <CaretPlace />
      {server && !isServerAway ? <HealthProblems problems={server.problems} /> : null}
      {server || isServerAway ? <StoreStatus store={server?.store ?? null} isAway={isServerAway} /> : null}
    </section>
  )
}

/** Each key moves the caret: so this is drawn by itself. */
function CaretPlace() {
  const caret = usePaintedCaret((state) => state.caret)
  if (!caret) return null
  return (
    <span className="numeric">
      Ln {caret.line}, Col {caret.column}
    </span>
  )
}

/** `2 errors, 1 hint` */
function countText(errors: number, warnings: number, hints: number): string {
  const parts = [
    errors && plural(errors, 'error'),
    warnings && plural(warnings, 'warning'),
    hints && plural(hints, 'hint'),
  ]
  return parts.filter(Boolean).join(', ') || 'No problems'
}
