import { CircleAlert, CircleCheck, Info, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { ApiError, messageOf } from '../api/client'
import styles from './notice.module.css'
import { Prose } from './Prose'

const ICONS = { plain: Info, accent: CircleCheck, warning: TriangleAlert, danger: CircleAlert }

interface NoticeProps {
  tone?: keyof typeof ICONS
  help?: ReactNode
  role?: 'alert' | 'status'
  children: ReactNode
  actions?: ReactNode
}

/** A message inside a panel, with help below it and buttons beside it. `role="alert"` has it read out at once. */
export function Notice({ tone = 'plain', help, role, children, actions }: NoticeProps) {
  const Icon = ICONS[tone]
  return (
    <div className={styles['notice']} data-tone={tone} role={role}>
      <Icon size={15} className={styles['noticeIcon']} aria-hidden />
      <div className={styles['noticeBody']}>
        <div>{children}</div>
        {help ? <div className={styles['noticeHelp']}>{help}</div> : null}
      </div>
      {actions}
    </div>
  )
}

/** The message and the help of an error. */
export function ErrorNotice({ error }: { error: unknown }) {
  return (
    <Notice
      tone="danger"
      role="alert"
      help={error instanceof ApiError && error.help ? <Prose text={error.help} /> : null}
    >
      <Prose text={messageOf(error)} />
    </Notice>
  )
}
