import { useId } from 'react'
import type { DeployRequestDetail } from '../../api/types'
import { eventText } from '../../logic/canary-words'
import { formatTime } from '../../units'
import framed from '../framed-list.module.css'
import styles from './requests.module.css'

/** Who tried a request on which share, promoted or withdrew it, when, and why. */
export function CanaryEvents({ request }: { request: DeployRequestDetail }) {
  const titleId = useId()
  if (request.canaries.length === 0) return null
  return (
    <section className={styles['section']} aria-labelledby={titleId}>
      <h2 id={titleId}>Trials</h2>
      <ol className={framed['list']} aria-label="Trials">
        {request.canaries.map((event) => (
          <li key={`${event.version} ${event.made_at} ${event.act}`} className={framed['item']}>
            <p>
              {eventText(event)} <span className={styles['soft']}>{formatTime(event.made_at)}</span>
            </p>
            {event.why ? <p className={styles['said']}>{event.why}</p> : null}
          </li>
        ))}
      </ol>
    </section>
  )
}
