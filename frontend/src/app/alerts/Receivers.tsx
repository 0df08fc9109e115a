import { useMutation } from '@tanstack/react-query'
import { Send } from 'lucide-react'
import { useId } from 'react'
import { answered, api } from '../../api/client'
import { ENVIRONMENT } from '../../api/environment'
import { Button } from '../../ui/Button'
import { ErrorNotice, Notice } from '../../ui/Notice'
import { useEnvironment } from '../url-state'
import styles from './alerts.module.css'

/** Where alerts go, as the settings say, and a test message to each with what came of it. */
export function Receivers({ destinations }: { destinations: readonly string[] }) {
  const titleId = useId()
  const environment = useEnvironment()
  const test = useMutation({
    mutationFn: () => answered(api.POST(`${ENVIRONMENT}/alerts/test`, { params: { path: environment } })),
  })
  const isSet = destinations.length > 0
  return (
    <section className={styles['section']} aria-labelledby={titleId}>
      <div className={styles['head']}>
        <h2 id={titleId}>Receivers</h2>
        {isSet ? (
          <Button icon={<Send size={14} aria-hidden />} disabled={test.isPending} onClick={() => test.mutate()}>
            Send a test message
          </Button>
        ) : null}
      </div>
      {isSet ? (
        <ul className={styles['receivers']} aria-label="Receivers">
          {destinations.map((destination) => (
            <li key={destination}>
              {destination.startsWith('smtp') ? 'E-mail' : 'Webhook'} <code>{destination}</code>
            </li>
          ))}
        </ul>
      ) : (
        <p className={styles['soft']}>
          None is set. Start the workbench with <code>ALERT_WEBHOOK</code> or <code>ALERT_MAIL</code>, and name their
          hosts in <code>ALERT_HOSTS</code>. It then looks once a minute.
        </p>
      )}
      {test.error ? <ErrorNotice error={test.error} /> : null}
      {test.data ? (
        <div role="status" aria-label="Test message">
          {test.data.map(({ destination, problem }) => (
            <Notice key={destination} tone={problem === null ? 'accent' : 'danger'}>
              {problem === null
                ? `${destination} took the test message.`
                : `The test message was not taken: ${problem}.`}
            </Notice>
          ))}
        </div>
      ) : null}
    </section>
  )
}
