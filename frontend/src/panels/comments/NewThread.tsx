import { useEffect, useRef } from 'react'
import { answered, api } from '../../api/client'
import { useCommenter, useNewThread, useThreadChange } from '../../app/threads'
import { setView, useView } from '../../app/url-state'
import { saveChanged } from '../../documents/saving'
import { aboutText } from '../../logic/threads'
import { CommentForm } from './CommentForm'
import styles from './comments.module.css'

/** The form that begins a thread, while somebody wants to comment on something. */
export function NewThread() {
  const { application } = useView()
  const { anchor, text, asked } = useNewThread()
  const { whyNotComment } = useCommenter()
  const form = useRef<HTMLElement>(null)
  const begin = useThreadChange(
    async (said: string) => {
      if (!anchor) throw new Error('nothing is commented on')
      await saveChanged() // a thread is about something that is saved
      const params = { path: { application } }
      return answered(api.POST('/api/applications/{application}/threads', { params, body: { anchor, text: said } }))
    },
    (thread) => {
      useNewThread.setState({ anchor: null, text: '' })
      setView({ thread: String(thread.number), threads: undefined })
    },
  )
  const { reset } = begin
  useEffect(() => {
    if (asked === 0) return
    reset()
    form.current?.querySelector('textarea')?.focus()
  }, [asked, reset])
  if (!anchor) return null
  const about = aboutText(anchor)
  return (
    <section ref={form} className={styles['new']} aria-label={`New comment: ${about}`}>
      <h3 className={styles['about']}>{about}</h3>
      {anchor.kind === 'line' ? (
        <code className={styles['quote']}>{anchor.quote.trim() || '(an empty line)'}</code>
      ) : null}
      <CommentForm
        label="New comment"
        action="Comment"
        text={text}
        onText={(typed) => useNewThread.setState({ text: typed })}
        why={whyNotComment}
        error={begin.error}
        isPending={begin.isPending}
        onSubmit={() => begin.mutate(text)}
        onCancel={() => useNewThread.setState({ anchor: null })}
      />
    </section>
  )
}
