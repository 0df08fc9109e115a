import { X } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { Button, IconButton } from '../ui/Button'
import { Prose } from '../ui/Prose'
import { act, dismiss, holdWhile, releaseNotices, useNotices } from './notices'
import styles from './notices.module.css'

/** Messages that appear for some seconds; a screen reader reads them out. */
export function Notices() {
  const { all, shown } = useNotices()
  const region = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const { current } = region
    if (!current) return
    holdWhile(() => current.matches(':hover') || current.contains(document.activeElement))
    current.addEventListener('pointerleave', releaseNotices)
    current.addEventListener('focusout', releaseNotices)
    return () => {
      holdWhile(() => false)
      current.removeEventListener('pointerleave', releaseNotices)
      current.removeEventListener('focusout', releaseNotices)
    }
  }, [])
  return (
    <div ref={region} className={styles['notices']} role="status" aria-label="Notices">
      {all
        .filter(({ id }) => shown.includes(id))
        .map((notice) => (
          <div key={notice.id} className={styles['toast']} data-tone={notice.tone}>
            <span className={styles['toastText']}>
              <Prose text={notice.text} />
            </span>
            {notice.action ? (
              <Button size="small" onClick={() => act(notice.id)}>
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
