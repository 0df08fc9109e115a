import { MessageSquare } from 'lucide-react'
import { openPanel } from '../../app/panel-view'
import { useThreadCounts } from '../../app/threads'
import { formatCount } from '../../units'
import styles from './application.module.css'

/** How many threads of comments are open in the whole application; a click shows them. */
export function CommentsRow() {
  const { open } = useThreadCounts()
  return (
    <button type="button" className={styles['commentsRow']} onClick={() => openPanel('comments')}>
      <MessageSquare size={13} className={styles['rowIcon']} aria-hidden />
      Comments
      <span className={styles['sectionCount']}>{formatCount(open)} open</span>
    </button>
  )
}
