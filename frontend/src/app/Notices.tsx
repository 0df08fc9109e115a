import { X } from 'lucide-react'
import { Button, IconButton } from '../ui/Button'
import { Prose } from '../ui/Prose'
import styles from './app.module.css'
import { dismiss, useNotices } from './notices'

export function Notices() {
  const notices = useNotices((state) => state.notices)
  return (
    <div className={styles['notices']} role="status" aria-label="Notices">
      {notices.map((notice) => (
        <div key={notice.id} className={styles['toast']} data-tone={notice.tone}>
          <span className={styles['toastText']}>
            <Prose text={notice.text} />
          </span>
          {notice.action ? (
            <Button
              size="small"
              onClick={() => {
                notice.action?.run()
                dismiss(notice.id)
              }}
            >
              {notice.action.label}
            </Button>
          ) : null}
          <IconButton label="Dismiss" size="small" onClick={() => dismiss(notice.id)}>
            <X size={14} aria-hidden />
          </IconButton>
        </div>
      ))}
    </div>
  )
}
