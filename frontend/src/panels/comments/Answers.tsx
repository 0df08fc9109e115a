import { useQuery } from '@tanstack/react-query'
import { Check, RotateCcw } from 'lucide-react'
import { answered, api } from '../../api/client'
import { threadComments } from '../../api/thread-queries'
import type { Thread } from '../../api/types'
import { useAnswers, useCommenter, useThreadChange } from '../../app/threads'
import { useView } from '../../app/url-state'
import { Button } from '../../ui/Button'
import { ErrorNotice } from '../../ui/Notice'
import { CommentForm } from './CommentForm'
import styles from './comments.module.css'
import { Said } from './Said'

/** All comments of a thread, a form to answer, and the button that settles it. */
export function Answers({ thread }: { thread: Thread }) {
  const { application } = useView()
  const { number } = thread
  const { whyNotComment } = useCommenter()
  const text = useAnswers((answers) => answers[number] ?? '')
  const { data: comments, error } = useQuery(threadComments(application, thread))
  const params = { path: { application, number } }
  const answer = useThreadChange(
    () => answered(api.POST('/api/applications/{application}/threads/{number}/comments', { params, body: { text } })),
    () => useAnswers.setState({ [number]: '' }),
  )
  const resolve = useThreadChange((is_resolved: boolean) =>
    answered(api.PUT('/api/applications/{application}/threads/{number}', { params, body: { is_resolved } })),
  )
  const isResolved = thread.resolved_at !== null
  return (
    <>
      {error ? <ErrorNotice error={error} /> : null}
      <ol className={styles['comments']} aria-label={`Comments of thread ${number}`}>
        {(comments ?? [thread.first]).map((comment) => (
          <Said key={comment.number} thread={number} comment={comment} />
        ))}
      </ol>
      <CommentForm
        label="Answer"
        action="Answer"
        text={text}
        onText={(typed) => useAnswers.setState({ [number]: typed })}
        why={whyNotComment}
        error={answer.error}
        isPending={answer.isPending}
        onSubmit={() => answer.mutate()}
        more={
          <Button
            size="small"
            icon={isResolved ? <RotateCcw size={12} aria-hidden /> : <Check size={12} aria-hidden />}
            disabled={whyNotComment !== null || resolve.isPending}
            aria-label={`${isResolved ? 'Reopen' : 'Resolve'} thread ${number}`}
            onClick={() => resolve.mutate(!isResolved)}
          >
            {isResolved ? 'Reopen' : 'Resolve'}
          </Button>
        }
      />
      {resolve.error ? <ErrorNotice error={resolve.error} /> : null}
    </>
  )
}
