import type { ReactNode } from 'react'
import styles from './empty-state.module.css'

interface EmptyStateProps {
  icon?: ReactNode
  title: string
  children?: ReactNode
  actions?: ReactNode
}

/** What a panel shows while it has no content: what will be here, and how to get it. */
export function EmptyState({ icon, title, children, actions }: EmptyStateProps) {
  return (
    <div className={styles['empty']}>
      {icon ? <span className={styles['emptyIcon']}>{icon}</span> : null}
      <p className={styles['emptyTitle']}>{title}</p>
      {children ? <p className={styles['emptyText']}>{children}</p> : null}
      {actions ? <div className={styles['emptyActions']}>{actions}</div> : null}
    </div>
  )
}
