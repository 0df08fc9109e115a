import { Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { answered, api } from '../../api/client'
import type { ThreadComment } from '../../api/types'
import { useCommenter, useThreadChange } from '../../app/threads'
import { useView } from '../../app/url-state'
import { authorText } from '../../logic/threads'
import { IconButton } from '../../ui/Button'
import { RemovalDialog } from '../../ui/RemovalDialog'
import { formatDay, formatTimestamp } from '../../units'
import { CommentForm } from './CommentForm'
import styles from './comments.module.css'

const COMMENT = '/api/applications/{application}/threads/{number}/comments/{comment}'

/** One comment; one's own can be edited, and removed after a question. */
export function Said({ thread, comment }: { thread: number; comment: ThreadComment }) {
  const { isTeam, whyNotComment, mayRemoveAll } = useCommenter()
  const [isEditing, setEditing] = useState(false)
  const [isRemoving, setRemoving] = useState(false)
  const isOver = comment.removed_at !== null
  const mayChange = whyNotComment === null && !isOver
  return (
    <li className={styles['said']}>
      <div className={styles['who']}>
        <bdi className={styles['author']}>{authorText(comment.author, isTeam)}</bdi>
        <time className={styles['soft']} dateTime={comment.made_at} title={formatTimestamp(comment.made_at)}>
          {formatDay(comment.made_at)}
        </time>
        {comment.edited_at && !isOver ? (
          <span className={styles['soft']} title={formatTimestamp(comment.edited_at)}>
            edited
          </span>
        ) : null}
        <span className={styles['tools']}>
          {mayChange && comment.is_own ? (
            <IconButton label={`Edit comment ${comment.number}`} size="small" onClick={() => setEditing(true)}>
              <Pencil size={12} aria-hidden />
            </IconButton>
          ) : null}
          {mayChange && (comment.is_own || mayRemoveAll) ? (
            <IconButton label={`Remove comment ${comment.number}`} size="small" onClick={() => setRemoving(true)}>
              <Trash2 size={12} aria-hidden />
            </IconButton>
          ) : null}
        </span>
      </div>
      {isOver ? (
        <p className={styles['removed']}>removed{comment.removed_by ? ` by ${comment.removed_by}` : ''}</p>
      ) : isEditing ? (
        <Edit thread={thread} comment={comment} onClose={() => setEditing(false)} />
      ) : (
        <p className={styles['text']} dir="auto">
          {comment.text}
        </p>
      )}
      {isRemoving ? <Remove thread={thread} comment={comment} onClose={() => setRemoving(false)} /> : null}
    </li>
  )
}

interface ChangeProps {
  thread: number
  comment: ThreadComment
  onClose: () => void
}

function Edit({ thread, comment, onClose }: ChangeProps) {
  const { application } = useView()
  const [read] = useState(comment)
  const [text, setText] = useState(comment.text)
  const params = { path: { application, number: thread, comment: comment.number } }
  const edit = useThreadChange(
    () => answered(api.PUT(COMMENT, { params, body: { text, revision: read.revision } })),
    onClose,
  )
  return (
    <CommentForm
      label={`Comment ${comment.number}`}
      action="Save"
      text={text}
      onText={setText}
      why={null}
      error={edit.error}
      isPending={edit.isPending}
      onSubmit={() => edit.mutate()}
      onCancel={onClose}
    />
  )
}

function Remove({ thread, comment, onClose }: ChangeProps) {
  const { application } = useView()
  const params = { path: { application, number: thread, comment: comment.number } }
  const remove = useThreadChange(() => answered(api.DELETE(COMMENT, { params })), onClose)
  return (
    <RemovalDialog
      title="Remove this comment?"
      consequence="Its text is forgotten. That there was a comment stays to be seen."
      action="Remove"
      removal={remove}
      onClose={onClose}
    />
  )
}
