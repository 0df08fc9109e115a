import { Check, X } from 'lucide-react'
import { useId, useState } from 'react'
import { answered, api } from '../../api/client'
import { ENVIRONMENT } from '../../api/environment'
import type { DeployRequestDetail } from '../../api/types'
import { isOver, type WhyNot } from '../../logic/request-words'
import { Badge } from '../../ui/Badge'
import { Button } from '../../ui/Button'
import { TextArea } from '../../ui/Field'
import { Form } from '../../ui/Form'
import { ErrorNotice } from '../../ui/Notice'
import { formatDay } from '../../units'
import framed from '../framed-list.module.css'
import { useEnvironment } from '../url-state'
import { useChange } from './change'
import styles from './requests.module.css'

interface VerdictsProps {
  request: DeployRequestDetail
  why: WhyNot | null
}

/** Who approved or refused the present text, and the form that does. */
export function Verdicts({ request, why }: VerdictsProps) {
  const titleId = useId()
  return (
    <section className={styles['section']} aria-labelledby={titleId}>
      <h2 id={titleId}>Approvals</h2>
      <p>
        {request.approvals_needed === 0
          ? 'No approval is needed.'
          : `${request.approvals} of ${request.approvals_needed} given for this text.`}
      </p>
      {request.reviews.length > 0 ? (
        <ul className={framed['list']} aria-label="Verdicts">
          {request.reviews.map((review) => (
            <li key={review.person ?? ''} className={framed['item']}>
              <div className={styles['row']}>
                <Badge tone={review.verdict === 'approve' ? 'accent' : 'danger'}>
                  {review.verdict === 'approve' ? 'approved' : 'refused'}
                </Badge>
                <span className={styles['soft']}>
                  {review.person ? `by ${review.person}, ` : ''}
                  {formatDay(review.given_at)}
                  {review.verdict === 'approve' && !review.counts ? '; by the rules it does not count' : ''}
                </span>
              </div>
              {review.note ? <p className={styles['said']}>{review.note}</p> : null}
            </li>
          ))}
        </ul>
      ) : null}
      {why && !isOver(request) ? <VerdictForm request={request} why={why} /> : null}
    </section>
  )
}

function VerdictForm({ request, why }: { request: DeployRequestDetail; why: WhyNot }) {
  const environment = useEnvironment()
  const [note, setNote] = useState('')
  const review = useChange(
    (verdict: 'approve' | 'refuse') =>
      answered(
        api.POST(`${ENVIRONMENT}/deploy-requests/{number}/reviews`, {
          params: { path: { ...environment, number: request.number } },
          body: { revision: request.revision, verdict, note: note.trim() },
        }),
      ),
    () => setNote(''),
  )
  return (
    <Form className={styles['form']} aria-label="Verdict" onSubmit={() => undefined}>
      <TextArea
        label="Note"
        hint="what a refusal wants changed"
        maxLength={5000}
        rows={2}
        value={note}
        onChange={(event) => setNote(event.target.value)}
      />
      <div className={styles['row']}>
        <Button
          icon={<Check size={14} aria-hidden />}
          disabled={why.approve !== null || review.isPending}
          onClick={() => review.mutate('approve')}
        >
          Approve
        </Button>
        <Button
          look="danger"
          icon={<X size={14} aria-hidden />}
          disabled={why.review !== null || review.isPending}
          onClick={() => review.mutate('refuse')}
        >
          Refuse
        </Button>
        {why.approve ? <span className={styles['soft']}>{why.approve}</span> : null}
      </div>
      {review.error ? <ErrorNotice error={review.error} /> : null}
    </Form>
  )
}
