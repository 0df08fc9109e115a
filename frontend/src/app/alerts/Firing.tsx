import type { Alert, Silence } from '../../api/types'
import { adviceOf, kindText, lastingText, silenceText, toldText } from '../../logic/alert-words'
import { Badge } from '../../ui/Badge'
import { Button } from '../../ui/Button'
import { formatDay } from '../../units'
import { ViewLink } from '../ViewLink'
import styles from './alerts.module.css'
import type { Silenced } from './MakeSilence'

interface FiringProps {
  firing: readonly Alert[]
  silences: readonly Silence[]
  now: Date
  onSilence: (what: Silenced) => void
}

/** What is wrong now: what it is, for how long, who was told, and what to do. */
export function Firing({ firing, silences, now, onSilence }: FiringProps) {
  if (firing.length === 0) return null
  return (
    <ul className={styles['firing']} aria-label="Wrong now">
      {firing.map((alert) => (
        <li key={alert.id} className={styles['alert']} data-silenced={alert.is_silenced}>
          <div className={styles['what']}>
            <Badge tone={alert.is_silenced ? 'plain' : 'danger'}>{kindText(alert.kind)}</Badge>
            <code className={styles['query']}>{alert.query}</code>
            <span className={styles['lasting']} title={`since ${formatDay(alert.at)}`}>
              {lastingText(alert.at, now)}
            </span>
            <span className={styles['soft']}>{toldText(alert)}</span>
          </div>
          <p className={styles['message']}>{alert.message}.</p>
          <p className={styles['message']}>{adviceOf(alert.kind)}</p>
          <Covered by={silenceText(alert, silences)} />
          <div className={styles['actions']}>
            <ViewLink to={{ page: 'dashboard', query: alert.query }}>See {alert.query} in the dashboard</ViewLink>
            {alert.is_silenced || silenceText(alert, silences) ? null : (
              <Button
                size="small"
                aria-label={`Silence: ${kindText(alert.kind)}, ${alert.query}`}
                onClick={() => onSilence({ kind: alert.kind, query: alert.query })}
              >
                Silence
              </Button>
            )}
          </div>
        </li>
      ))}
    </ul>
  )
}

/** Until when a silence covers an alert, and why; nothing where none does. */
function Covered({ by }: { by: string }) {
  return by ? <p className={styles['message']}>{by}</p> : null
}
