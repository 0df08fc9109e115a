import { MessageSquare, MessageSquarePlus } from 'lucide-react'
import type { ThreadAnchor } from '../../api/types'
import { commentOn, openThread, useThreads } from '../../app/threads'
import { aboutText, threadsAt } from '../../logic/threads'
import { Button, IconButton } from '../../ui/Button'
import { formatCount, plural } from '../../units'
import styles from './comments.module.css'

/** How many open threads there are about a bound or a node, with a button to begin another. */
export function CommentButtons({ anchor }: { anchor: ThreadAnchor }) {
  const here = threadsAt(useThreads(), anchor)
  const about = aboutText(anchor)
  const [first] = here
  return (
    <span className={styles['buttons']}>
      {first ? (
        <Button
          size="small"
          look="quiet"
          icon={<MessageSquare size={13} aria-hidden />}
          aria-label={`${plural(here.length, 'open thread')}: ${about}`}
          title={`${plural(here.length, 'open thread')}: ${about}`}
          onClick={() => openThread(first.number, true)}
        >
          {formatCount(here.length)}
        </Button>
      ) : null}
      <IconButton label={`Comment on this: ${about}`} size="small" onClick={() => commentOn(anchor)}>
        <MessageSquarePlus size={14} aria-hidden />
      </IconButton>
    </span>
  )
}
