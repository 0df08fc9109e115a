import { useId } from 'react'
import { answered, api } from '../../api/client'
import { ENVIRONMENT } from '../../api/environment'
import type { DeployRequestDetail } from '../../api/types'
import { CHECK_WORDS, isOver, MODE_WORDS, outcomeWord, type WhyNot } from '../../logic/request-words'
import { Badge } from '../../ui/Badge'
import { Button } from '../../ui/Button'
import { ErrorNotice } from '../../ui/Notice'
import { Cell, numeric, Table } from '../../ui/Table'
import { formatCount } from '../../units'
import { useEnvironment } from '../url-state'
import { useChange } from './change'
import styles from './requests.module.css'

/** The checks with what became of each, and the fullest groups under limits that change. */
export function Checks({ request, why }: { request: DeployRequestDetail; why: WhyNot | null }) {
  const titleId = useId()
  return (
    <section className={styles['section']} aria-labelledby={titleId}>
      <h2 id={titleId}>Checks</h2>
      <div className={styles['checks']}>
        <Table label="Checks" columns={['Check', 'Outcome', 'If not passed', 'Says']}>
          {request.checks.map((check) => {
            const { word, tone } = outcomeWord(check)
            return (
              <tr key={check.check}>
                <Cell className={styles['check']}>
                  {CHECK_WORDS[check.check]}
                  <span className={styles['folded']}>{check.message}</span>
                </Cell>
                <Cell>
                  <Badge tone={tone}>{word}</Badge>
                </Cell>
                <Cell>{MODE_WORDS[check.mode]}</Cell>
                <Cell className={styles['text']}>{check.message}</Cell>
              </tr>
            )
          })}
        </Table>
      </div>
      {request.limits.length > 0 ? <ChangedLimits request={request} why={why} /> : null}
    </section>
  )
}

function ChangedLimits({ request, why }: { request: DeployRequestDetail; why: WhyNot | null }) {
  const environment = useEnvironment()
  const { number } = request
  const count = useChange(() =>
    answered(
      api.POST(`${ENVIRONMENT}/deploy-requests/{number}/counts`, { params: { path: { ...environment, number } } }),
    ),
  )
  return (
    <>
      <Table label="Limits that change" columns={['Table', 'Limit', numeric('Allowed'), numeric('Fullest group')]}>
        {request.limits.map(({ table, limit, most_allowed, most_rows, is_complete }) => (
          <tr key={`${table} ${limit}`}>
            <Cell>{table}</Cell>
            <Cell>
              <code>{limit}</code>
            </Cell>
            <Cell isNumeric>{formatCount(most_allowed)}</Cell>
            <Cell isNumeric>
              {most_rows === null ? 'not counted' : `${is_complete ? '' : 'at least '}${formatCount(most_rows)}`}
            </Cell>
          </tr>
        ))}
      </Table>
      {isOver(request) ? null : (
        <div>
          <Button disabled={why === null || why.revise !== null || count.isPending} onClick={() => count.mutate()}>
            Count the rows again
          </Button>
        </div>
      )}
      {count.error ? <ErrorNotice error={count.error} /> : null}
    </>
  )
}
