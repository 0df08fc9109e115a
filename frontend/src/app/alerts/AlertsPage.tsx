import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { alerts } from '../../api/queries'
import { headline, ranked } from '../../logic/alert-words'
import { EmptyState } from '../../ui/EmptyState'
import { ErrorNotice, Notice } from '../../ui/Notice'
import { ListPage } from '../ListPage'
import { useEnvironment } from '../url-state'
import { ViewLink } from '../ViewLink'
import { Firing } from './Firing'
import { MakeSilence, type Silenced } from './MakeSilence'
import { PastAlerts } from './PastAlerts'
import { Receivers } from './Receivers'
import { Silences } from './Silences'

/** What is wrong in an environment now, for how long, and what to do; silences, receivers, and the last alerts. */
export default function AlertsPage() {
  const environment = useEnvironment()
  const { data, error, dataUpdatedAt } = useQuery(alerts(environment))
  const [silenced, setSilenced] = useState<Silenced | null>(null)
  const now = new Date(dataUpdatedAt)
  const summary = data && headline(data.firing, data.destinations.length > 0, now)
  return (
    <ListPage name="Alerts" title="Alerts">
      {error ? <ErrorNotice error={error} /> : null}
      {data && summary ? (
        <>
          <Notice tone={summary.tone} role="status">
            {summary.text}
            {data.destinations.length > 0 ? null : (
              <>
                {' '}
                <ViewLink to={{ page: 'dashboard', state: 'danger' }}>What is in danger now</ViewLink>
              </>
            )}
          </Notice>
          <Firing firing={ranked(data.firing)} silences={data.silences} now={now} onSilence={setSilenced} />
          <Silences
            silences={data.silences}
            isWatched={data.destinations.length > 0}
            onMake={() => setSilenced({ kind: '', query: '' })}
          />
          <Receivers destinations={data.destinations} />
          <PastAlerts past={data.alerts} />
        </>
      ) : error ? null : (
        <EmptyState title="Reading alerts…" />
      )}
      {silenced ? <MakeSilence of={silenced} onClose={() => setSilenced(null)} /> : null}
    </ListPage>
  )
}
