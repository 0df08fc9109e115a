import type { ReactNode } from 'react'
import styles from './list-page.module.css'
import { region } from './regions'

interface ListPageProps {
  /** The name of its region, by which F6 and screen readers find it. */
  name: string
  title: string
  actions?: ReactNode
  children: ReactNode
}

/** The frame of a page beside the workbench: a title, what one can do there, and what it lists. */
export function ListPage({ name, title, actions, children }: ListPageProps) {
  return (
    <main id="content" className={styles['page']} {...region(name)}>
      <div className={styles['head']}>
        <h1 className={styles['title']}>{title}</h1>
        {actions}
      </div>
      {children}
    </main>
  )
}
