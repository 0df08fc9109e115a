import { Button } from '../ui/Button'
import { Dialog } from '../ui/Dialog'
import { Prose } from '../ui/Prose'
import { formatTimestamp } from '../units'
import { act, useNotices } from './notices'
import styles from './notices.module.css'

/** A dialog with all notices since the page was opened, the newest first, each with its action if it still has one. */
export function EarlierNotices({ onClose }: { onClose: () => void }) {
  const all = useNotices((state) => state.all)
  return (
    <Dialog title="Notices" onClose={onClose}>
      {all.length === 0 ? <p>There are no messages since you opened the page.</p> : null}
      <ul className={styles['earlier']} aria-label="Earlier notices">
        {all.toReversed().map(({ id, tone, text, at, action }) => (
          <li key={id} className={styles['earlierNotice']} data-tone={tone}>
            <time dateTime={at.toISOString()}>{formatTimestamp(at.toISOString())}</time>
            <span className={styles['toastText']}>
              <Prose text={text} />
            </span>
            {action ? (
              <Button size="small" onClick={() => act(id)}>
                {action.label}
              </Button>
            ) : null}
          </li>
        ))}
      </ul>
    </Dialog>
  )
}
