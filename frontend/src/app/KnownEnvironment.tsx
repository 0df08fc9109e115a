import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { environments } from '../api/queries'
import { viewOf } from '../logic/view'
import { EmptyState } from '../ui/EmptyState'
import styles from './app.module.css'
import { useView } from './url-state'
import { ViewLink } from './ViewLink'

/**
 * Shows a page of an environment. If the application has no environment of that name, it says so and links to the
 * others. If the environments cannot be read, the page is shown and reports the error itself.
 */
export function KnownEnvironment({ children }: { children: ReactNode }) {
  const { application, environment, page } = useView()
  const { data: known, isFetching } = useQuery({ ...environments(application), enabled: application !== '' })
  if (!known || isFetching || known.some(({ id }) => id === environment)) return children
  return (
    <main id="content" className={styles['page']} tabIndex={-1}>
      <h1 className="visually-hidden">PIQL workbench</h1>
      <EmptyState
        title={`There is no environment ${environment} in ${application}`}
        actions={known.map(({ id, title }) => (
          <ViewLink key={id} to={{ ...viewOf(application, id), page }}>
            Open {title}
          </ViewLink>
        ))}
      >
        It was removed, or the address is wrong.
      </EmptyState>
    </main>
  )
}
