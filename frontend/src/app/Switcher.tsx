import { useQuery } from '@tanstack/react-query'
import { Layers } from 'lucide-react'
import { useState } from 'react'
import { applications, environments } from '../api/queries'
import { DEVELOPMENT, viewOf } from '../logic/view'
import { IconButton } from '../ui/Button'
import { EnvironmentsDialog } from './environments/EnvironmentsDialog'
import { toneOf } from './environments/tone'
import styles from './header.module.css'
import { setView, useView } from './url-state'

/** Which application is looked at, in which environment, in its colour; choosing another goes there. */
export function Switcher() {
  const { application, environment } = useView()
  const { data } = useQuery(applications)
  const { data: known } = useQuery(environments(application))
  const [isAsking, setAsking] = useState(false)
  const shown = (data ?? []).filter(({ id, is_archived }) => !is_archived || id === application)
  const current = known?.find(({ id }) => id === environment)
  const title = shown.find(({ id }) => id === application)?.title ?? application
  if (application === '') return null
  return (
    <>
      <select
        className={styles['switch']}
        aria-label="Application"
        value={application}
        onChange={(event) => {
          const [first = DEVELOPMENT] = shown.find(({ id }) => id === event.target.value)?.environments ?? []
          setView(viewOf(event.target.value, first))
        }}
      >
        {shown.some(({ id }) => id === application) ? null : <option value={application}>{application}</option>}
        {shown.map((summary) => (
          <option key={summary.id} value={summary.id}>
            {summary.title}
          </option>
        ))}
      </select>
      <select
        className={styles['environment']}
        data-tone={toneOf(current?.colour ?? 'grey')}
        aria-label="Environment"
        value={environment}
        onChange={(event) => setView(viewOf(application, event.target.value))}
      >
        {current ? null : <option value={environment}>{environment}</option>}
        {known?.map(({ id, title: name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
      <IconButton label={`Environments of ${title}`} size="small" onClick={() => setAsking(true)}>
        <Layers size={14} aria-hidden />
      </IconButton>
      {isAsking ? (
        <EnvironmentsDialog application={application} title={title} onClose={() => setAsking(false)} />
      ) : null}
    </>
  )
}
