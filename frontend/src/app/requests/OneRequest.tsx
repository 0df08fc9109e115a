import { useQuery } from '@tanstack/react-query'
import { deployRules } from '../../api/request-queries'
import { isAdministrator, session } from '../../api/session'
import type { DeployRequestDetail } from '../../api/types'
import { pathOfRequest } from '../../logic/record'
import { byText, headline, isOver, originText, whyNot, worstBoundText } from '../../logic/request-words'
import { recordOf } from '../../logic/view'
import { BuildState } from '../../panels/deploy/BuildState'
import { ErrorNotice, Notice } from '../../ui/Notice'
import { formatCount, formatDay, plural } from '../../units'
import { useEnvironment } from '../url-state'
import { ViewLink } from '../ViewLink'
import { Actions } from './Actions'
import { Canary } from './Canary'
import { CanaryEvents } from './CanaryEvents'
import { Checks } from './Checks'
import { Comments } from './Comments'
import styles from './requests.module.css'
import { Verdicts } from './Verdicts'
import { WhatChanges } from './WhatChanges'

/** One request: whether it may be deployed, what is missing, what it changes, and what was said of it. */
export function OneRequest({ request }: { request: DeployRequestDetail }) {
  const environment = useEnvironment()
  const { data: rules, error } = useQuery(deployRules(environment))
  const { data: visitor } = useQuery(session)
  const { tone, text } = headline(request)
  const why = rules && visitor ? whyNot(request, rules, visitor.person, environment.application) : null
  return (
    <>
      <Notice
        tone={tone}
        role="status"
        help={request.may_be_deployed || request.status === 'tried' ? null : <Missing missing={request.missing} />}
      >
        {text}
      </Notice>
      {request.between.length > 0 ? (
        <div className={styles['between']}>
          <p>Deployed since version {request.base_version}, on which it is based:</p>
          <ul aria-label="What came between">
            {request.between.map((version) => (
              <li key={version.id}>
                version {version.version} by {version.deployed_by}, {formatDay(version.created_at)}
              </li>
            ))}
          </ul>
        </div>
      ) : null}
      {error ? <ErrorNotice error={error} /> : null}
      {why && !isOver(request) ? <Actions request={request} why={why} /> : null}
      {isOver(request) ? null : request.status === 'tried' ? <Canary /> : <BuildState />}
      {request.status === 'deployed' ? (
        <p className={styles['block']}>
          <ViewLink to={{ page: 'workbench', panel: 'deploy' }}>See the versions in Deploy</ViewLink>
        </p>
      ) : null}
      {request.why ? <p className={styles['why']}>{request.why}</p> : null}
      <p className={styles['soft']}>
        Asked for{byText(request.author)} on {formatDay(request.opened_at)}. Text {request.revision}:{' '}
        {originText(request)}, {formatDay(request.changed_at)}
        {request.base_version > 0 ? `, on version ${request.base_version}` : ''}.
      </p>
      {visitor?.person && isAdministrator(visitor.person) ? (
        <p className={styles['block']}>
          <ViewLink
            to={recordOf({ about: pathOfRequest(environment.application, environment.environment, request.number) })}
          >
            See in the record who did what to it
          </ViewLink>
        </p>
      ) : null}
      <Numbers request={request} />
      <CanaryEvents request={request} />
      <Checks request={request} why={why} />
      <WhatChanges request={request} />
      <Verdicts request={request} why={why} />
      <Comments request={request} why={why} />
    </>
  )
}

function Missing({ missing }: { missing: readonly string[] }) {
  if (missing.length === 0) return null
  return (
    <ul className={styles['missing']} aria-label="Missing">
      {missing.map((sentence) => (
        <li key={sentence}>{sentence}</li>
      ))}
    </ul>
  )
}

function Numbers({ request: { numbers } }: { request: DeployRequestDetail }) {
  const { queries, worst_bound: worst, slos_at_risk: atRisk } = numbers
  return (
    <dl className={styles['numbers']} aria-label="What it changes in numbers">
      <div>
        <dt>Changed</dt>
        <dd>{plural(queries, 'query', 'queries')}</dd>
      </div>
      <div>
        <dt>Worst bound</dt>
        <dd>{worst ? `≤ ${plural(worst.operations, 'request')}` : 'none'}</dd>
        <dd>{worst ? worstBoundText(worst) : null}</dd>
      </div>
      <div>
        <dt>SLOs at risk</dt>
        <dd>{atRisk === null ? 'not known' : formatCount(atRisk)}</dd>
        <dd>{atRisk === null ? 'no profile run can tell' : null}</dd>
      </div>
    </dl>
  )
}
