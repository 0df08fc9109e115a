import { type ReactNode, useRef } from 'react'
import { MOD } from '../../app/keys'
import { Button } from '../../ui/Button'
import { TextArea } from '../../ui/Field'
import { Form } from '../../ui/Form'
import { ErrorNotice } from '../../ui/Notice'
import styles from './comments.module.css'

/** Characters of a comment, as many as the server takes. */
const MOST = 5000

interface CommentFormProps {
  label: string
  action: string
  text: string
  onText: (text: string) => void
  /** Why one may not comment; null where one may. */
  why: string | null
  error: Error | null
  isPending: boolean
  onSubmit: () => void
  /** With it there is a button Cancel, and Escape in an empty field cancels. */
  onCancel?: () => void
  /** Further buttons. */
  more?: ReactNode
}

/** A field for a comment; Mod+Enter in it sends. */
export function CommentForm({
  label,
  action,
  text,
  onText,
  why,
  error,
  isPending,
  onSubmit,
  onCancel,
  more,
}: CommentFormProps) {
  const form = useRef<HTMLFormElement>(null)
  const isWhole = text.trim() !== '' && why === null && !isPending
  return (
    <Form ref={form} className={styles['form']} aria-label={label} data-comment onSubmit={() => isWhole && onSubmit()}>
      <TextArea
        label={label}
        hint={`${MOD} Enter sends`}
        maxLength={MOST}
        rows={3}
        dir="auto"
        value={text}
        disabled={why !== null}
        spellCheck
        onChange={(event) => onText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
            event.preventDefault()
            if (!event.repeat) form.current?.requestSubmit()
          } else if (event.key === 'Escape' && text === '') onCancel?.()
        }}
      />
      {why ? <p className={styles['soft']}>{why}</p> : null}
      {error ? <ErrorNotice error={error} /> : null}
      <div className={styles['actions']}>
        <Button type="submit" size="small" look="primary" disabled={!isWhole}>
          {action}
        </Button>
        {onCancel ? (
          <Button size="small" onClick={onCancel}>
            Cancel
          </Button>
        ) : null}
        {more}
      </div>
    </Form>
  )
}
