import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { answered, api } from '../../api/client'
import { ENVIRONMENT } from '../../api/environment'
import { deployRules } from '../../api/request-queries'
import { session } from '../../api/session'
import type { DeployRules, Person } from '../../api/types'
import {
  CHECK_WORDS,
  CHOSEN_CHECKS,
  type CheckMode,
  impossibleRules,
  LOAD_WORDS,
  MODE_WORDS,
  roleLacking,
  rulesText,
} from '../../logic/request-words'
import { Button } from '../../ui/Button'
import { SelectField, TextField } from '../../ui/Field'
import { Form } from '../../ui/Form'
import { ErrorNotice, Notice } from '../../ui/Notice'
import { useEnvironment } from '../url-state'
import { useChange } from './change'
import styles from './requests.module.css'

/** What the environment asks of requests; an administrator of the application changes it. */
export function Rules() {
  const titleId = useId()
  const environment = useEnvironment()
  const { data: rules, error } = useQuery(deployRules(environment))
  const { data: visitor } = useQuery(session)
  const [isChanging, setChanging] = useState(false)
  const lacking = roleLacking(visitor?.person ?? null, environment.application, 'administrator')
  return (
    <section className={styles['section']} aria-labelledby={titleId}>
      <h2 id={titleId}>Rules of {environment.environment}</h2>
      {error ? <ErrorNotice error={error} /> : null}
      {rules ? (
        <>
          <p>{rulesText(rules)}</p>
          <p>{LOAD_WORDS[rules.load_runs_by]}</p>
          <ul className={styles['rules']} aria-label="Checks by the rules">
            {CHOSEN_CHECKS.map((check) => (
              <li key={check}>
                {CHECK_WORDS[check]}: {MODE_WORDS[rules.checks[check]]}
              </li>
            ))}
          </ul>
        </>
      ) : null}
      {rules && isChanging ? (
        <RulesForm rules={rules} person={visitor?.person ?? null} onClose={() => setChanging(false)} />
      ) : null}
      {isChanging ? null : (
        <div className={styles['row']}>
          <Button disabled={lacking !== null || !rules} onClick={() => setChanging(true)}>
            Change the rules
          </Button>
          {lacking ? <span className={styles['soft']}>{lacking}</span> : null}
        </div>
      )}
    </section>
  )
}

const MOST_APPROVALS = 10

interface RulesFormProps {
  rules: DeployRules
  person: Person | null
  onClose: () => void
}

function RulesForm({ rules, person, onClose }: RulesFormProps) {
  const environment = useEnvironment()
  const [wish, setWish] = useState(rules)
  const [approvals, setApprovals] = useState(String(rules.approvals))
  const save = useChange(
    (body: DeployRules) =>
      answered(api.PUT(`${ENVIRONMENT}/deploy-requests/rules`, { params: { path: environment }, body })),
    onClose,
  )
  const problem = impossibleRules({ ...wish, approvals: Number(approvals) }, person)
  const isWhole = /^\d{1,2}$/.test(approvals) && Number(approvals) <= MOST_APPROVALS
  return (
    <Form
      className={styles['form']}
      aria-label="Rules"
      onSubmit={() => isWhole && save.mutate({ ...wish, approvals: Number(approvals) })}
    >
      <label className={styles['check']}>
        <input
          type="checkbox"
          checked={wish.needs_request}
          onChange={(event) => setWish({ ...wish, needs_request: event.target.checked })}
        />
        Nothing is deployed without a request
      </label>
      <TextField
        label="Approvals that a request needs"
        inputMode="numeric"
        value={approvals}
        error={isWhole ? undefined : `A whole number from 0 to ${MOST_APPROVALS}.`}
        onChange={(event) => setApprovals(event.target.value)}
      />
      <label className={styles['check']}>
        <input
          type="checkbox"
          checked={wish.excludes_author}
          onChange={(event) => setWish({ ...wish, excludes_author: event.target.checked })}
        />
        Whoever wrote the text does not approve it
      </label>
      {problem ? <Notice tone="warning">{problem}</Notice> : null}
      {CHOSEN_CHECKS.map((check) => (
        <SelectField
          key={check}
          label={CHECK_WORDS[check]}
          value={wish.checks[check]}
          onChange={(event) =>
            setWish({ ...wish, checks: { ...wish.checks, [check]: event.target.value as CheckMode } })
          }
        >
          <option value="block">blocks</option>
          <option value="warn">warns</option>
          <option value="off">off</option>
        </SelectField>
      ))}
      <SelectField
        label="Load runs are started by"
        value={wish.load_runs_by}
        onChange={(event) => setWish({ ...wish, load_runs_by: event.target.value as DeployRules['load_runs_by'] })}
      >
        <option value="developer">developers</option>
        <option value="deployer">deployers</option>
        <option value="nobody">nobody</option>
      </SelectField>
      <p className={styles['soft']}>The rules hold for requests that are open, too.</p>
      {save.error ? <ErrorNotice error={save.error} /> : null}
      <div className={styles['row']}>
        <Button type="submit" look="primary" disabled={!isWhole || save.isPending}>
          Save the rules
        </Button>
        <Button onClick={onClose}>Cancel</Button>
      </div>
    </Form>
  )
}
