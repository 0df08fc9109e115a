import { MessageSquare } from 'lucide-react'
import { formatCount } from '../../units'
import styles from './application.module.css'

/** How many open threads of comments there are about the file or query of a row; nothing where there is none. */
export function ThreadCount({ count }: { count: number }) {
  if (count === 0) return null
  return (
    <span className={styles['threadCount']}>
      <MessageSquare size={11} aria-hidden />
      <span className="visually-hidden">, </span>
      {formatCount(count)}
      <span className="visually-hidden"> open {count === 1 ? 'thread' : 'threads'}</span>
    </span>
  )
}
