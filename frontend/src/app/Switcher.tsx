import { useQuery } from '@tanstack/react-query'
import { applications } from '../api/queries'
import { DEVELOPMENT, viewOf } from '../logic/view'
import styles from './header.module.css'
import { setView, useView } from './url-state'

/** Which application is looked at and, where it has several environments, which of them; choosing another goes there. */
export function Switcher() {
  const { application, environment } = useView()
  const { data } = useQuery(applications)
  const known = (data ?? []).filter(({ id, is_archived }) => !is_archived || id === application)
  const environments = known.find(({ id }) => id === application)?.environments ?? [environment]
  if (application === '') return null
  return (
    <>
      <select
        className={styles['switch']}
        aria-label="Application"
        value={application}
        onChange={(event) => setView(viewOf(event.target.value, DEVELOPMENT))}
      >
        {known.some(({ id }) => id === application) ? null : <option value={application}>{application}</option>}
        {known.map(({ id, title }) => (
          <option key={id} value={id}>
            {title}
          </option>
        ))}
      </select>
      {environments.length > 1 ? (
        <select
          className={styles['switch']}
          aria-label="Environment"
          value={environment}
          onChange={(event) => setView(viewOf(application, event.target.value))}
        >
          {environments.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      ) : null}
    </>
  )
}
