import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { answered, api } from '../../api/client'
import { ENVIRONMENT } from '../../api/environment'
import { requestComments } from '../../api/request-queries'
import type { DeployRequestComment, DeployRequestDetail } from '../../api/types'
import { aboutText, byText, type WhyNot } from '../../logic/request-words'
import { Badge } from '../../ui/Badge'
import { Button } from '../../ui/Button'
import { SelectField, TextArea } from '../../ui/Field'
import { Form } from '../../ui/Form'
import { ErrorNotice } from '../../ui/Notice'
import { formatDay } from '../../units'
import framed from '../framed-list.module.css'
import { useEnvironment } from '../url-state'
import { useChange } from './change'
import styles from './requests.module.css'

interface CommentsProps {
  request: DeployRequestDetail
  why: WhyNot | null
}

/** What was said about a request, the oldest first, and a form to say more. */
export function Comments({ request, why }: CommentsProps) {
  const titleId = useId()
  const environment = useEnvironment()
  const { data: comments, error } = useQuery(requestComments(environment, request.number))
  const settle = useChange(({ comment, is_resolved }: { comment: number; is_resolved: boolean }) =>
    answered(
      api.PUT(`${ENVIRONMENT}/deploy-requests/{number}/comments/{comment}`, {
        params: { path: { ...environment, number: request.number, comment } },
        body: { is_resolved },
      }),
    ),
  )
  const mayNot = why === null || why.comment !== null
  return (
    <section className={styles['section']} aria-labelledby={titleId}>
      <h2 id={titleId}>Comments</h2>
      {error ? <ErrorNotice error={error} /> : null}
      {comments?.length === 0 ? <p className={styles['soft']}>Nothing was said yet.</p> : null}
      {comments && comments.length > 0 ? (
        <ul className={framed['list']} aria-label="Comments">
          {comments.map((comment) => (
            <Comment
              key={comment.number}
              comment={comment}
              isEarlier={comment.revision < request.revision}
              isDisabled={mayNot || settle.isPending}
              onSettle={(is_resolved) => settle.mutate({ comment: comment.number, is_resolved })}
            />
          ))}
        </ul>
      ) : null}
      {settle.error ? <ErrorNotice error={settle.error} /> : null}
      <CommentForm request={request} isDisabled={mayNot} />
      {why?.comment ? <p className={styles['soft']}>{why.comment}</p> : null}
    </section>
  )
}

interface CommentProps {
  comment: DeployRequestComment
  /** It was said of an earlier text. */
  isEarlier: boolean
  isDisabled: boolean
  onSettle: (isSettled: boolean) => void
}

function Comment({ comment, isEarlier, isDisabled, onSettle }: CommentProps) {
  const isSettled = comment.resolved_at !== null
  const about = aboutText(comment)
  return (
    <li className={framed['item']}>
      <div className={styles['row']}>
        {isSettled ? <Badge tone="accent">settled{byText(comment.resolved_by)}</Badge> : null}
        {about ? <code className={styles['about']}>{about}</code> : null}
        <span className={styles['soft']}>
          {comment.author ? `${comment.author}, ` : ''}
          {formatDay(comment.made_at)}
          {isEarlier ? `, of text ${comment.revision}` : ''}
        </span>
      </div>
      <p className={styles['said']}>{comment.text}</p>
      <div>
        <Button
          size="small"
          disabled={isDisabled}
          aria-label={`${isSettled ? 'Open again' : 'Settle'}: comment ${comment.number}`}
          onClick={() => onSettle(!isSettled)}
        >
          {isSettled ? 'Open again' : 'Settle'}
        </Button>
      </div>
    </li>
  )
}

function CommentForm({ request, isDisabled }: { request: DeployRequestDetail; isDisabled: boolean }) {
  const environment = useEnvironment()
  const [text, setText] = useState('')
  const [about, setAbout] = useState('')
  const queries = [...request.preview.added, ...request.preview.changed]
  const say = useChange(
    () =>
      answered(
        api.POST(`${ENVIRONMENT}/deploy-requests/{number}/comments`, {
          params: { path: { ...environment, number: request.number } },
          body: {
            revision: request.revision,
            text: text.trim(),
            query: queries.includes(about) ? about : null,
            path: request.files.some(({ path }) => path === about) ? about : null,
          },
        }),
      ),
    () => setText(''),
  )
  const isWhole = text.trim() !== '' && !isDisabled
  return (
    <Form className={styles['form']} aria-label="New comment" onSubmit={() => isWhole && say.mutate()}>
      <TextArea
        label="Comment"
        maxLength={5000}
        rows={2}
        value={text}
        disabled={isDisabled}
        onChange={(event) => setText(event.target.value)}
      />
      <SelectField label="About" value={about} disabled={isDisabled} onChange={(event) => setAbout(event.target.value)}>
        <option value="">the whole request</option>
        {[...queries, ...request.files.map(({ path }) => path)].map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </SelectField>
      {say.error ? <ErrorNotice error={say.error} /> : null}
      <div>
        <Button type="submit" disabled={!isWhole || say.isPending}>
          Comment
        </Button>
      </div>
    </Form>
  )
}
