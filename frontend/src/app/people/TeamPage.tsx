import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { isAdministrator, session } from '../../api/session'
import { EmptyState } from '../../ui/EmptyState'
import { ListPage } from '../ListPage'
import styles from './team-page.module.css'

interface TeamPageProps {
  title: string
  isForAdministrators?: boolean
  actions?: ReactNode
  children: ReactNode
}

/** The frame of a page of a team. Who may not see it, or has no team, is told so in its place. */
export function TeamPage({ title, isForAdministrators = false, actions, children }: TeamPageProps) {
  const { data } = useQuery(session)
  const isOpen = data?.person && (!isForAdministrators || isAdministrator(data.person))
  return (
    <ListPage name={title} title={title} actions={isOpen ? actions : null}>
      {isOpen ? <div className={styles['lists']}>{children}</div> : null}
      {data && !data.is_team ? (
        <EmptyState title="This workbench serves nobody but you">
          Start it with piql serve --team, and people sign in to it.
        </EmptyState>
      ) : null}
      {data?.person && !isOpen ? (
        <EmptyState title="This page is for administrators of all applications">
          {`You are signed in as ${data.person.name}. Ask an administrator for what you need.`}
        </EmptyState>
      ) : null}
    </ListPage>
  )
}
