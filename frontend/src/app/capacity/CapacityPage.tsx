import { useQuery } from '@tanstack/react-query'
import { Gauge } from 'lucide-react'
import { useMemo } from 'react'
import { capacity, compilationOf, profileRuns } from '../../api/queries'
import type { Capacity, Compilation, ProfileRun, SourceFile } from '../../api/types'
import { UsersCurve } from '../../charts/UsersCurve'
import { applicationQuery } from '../../documents/opening'
import { belowHeadline, formatShort, headlineOf } from '../../logic/capacity-words'
import { runName } from '../../logic/run-name'
import { curveLabel, linesOf } from '../../logic/users-curve'
import { Button } from '../../ui/Button'
import { EmptyState } from '../../ui/EmptyState'
import { ErrorNotice, Notice } from '../../ui/Notice'
import { ListPage } from '../ListPage'
import { openPanel } from '../panel-view'
import { useChosenRun } from '../predictions'
import { useDefaultSlo, useSavedSlos } from '../slos'
import { useEnvironment } from '../url-state'
import { NumberField } from './AmountField'
import { AtUsersFacts } from './AtUsersFacts'
import { bodyOf, isOfCluster, useQuestion } from './asking'
import { ByUsers } from './ByUsers'
import styles from './capacity.module.css'
import { Growth } from './Growth'
import { Rates } from './Rates'
import { UsersChoice } from './UsersChoice'

/** How much load the store takes, what breaks first as users come, and how many nodes a number of users needs. */
export default function CapacityPage() {
  const environment = useEnvironment()
  const { data: application, error } = useQuery({
    ...applicationQuery(environment.application),
    enabled: environment.application !== '',
  })
  const files = useMemo(() => (application?.files ?? []).map(({ path, text }) => ({ path, text })), [application])
  const { data: compilation, error: compileError } = useQuery({
    ...compilationOf(files, ''),
    enabled: application !== undefined,
  })
  const { data: runs, error: runsError } = useQuery(profileRuns(environment))
  const run = useChosenRun()
  const failed = error ?? compileError ?? runsError
  return (
    <ListPage name="Capacity" title="Capacity">
      {failed ? (
        <ErrorNotice error={failed} />
      ) : !application || !compilation || !runs ? (
        <EmptyState title="Reading the application…" />
      ) : run ? (
        <OfRun files={files} compilation={compilation} run={run} />
      ) : (
        <EmptyState
          icon={<Gauge size={22} aria-hidden />}
          title="No profile run has ended well"
          actions={<Button onClick={() => openPanel('profile')}>Measure the store</Button>}
        >
          Capacity is told from a profile run: measure the store once.
        </EmptyState>
      )}
    </ListPage>
  )
}

interface OfRunProps {
  files: SourceFile[]
  compilation: Compilation
  run: ProfileRun
}

function OfRun({ files, compilation, run }: OfRunProps) {
  const environment = useEnvironment()
  const saved = useSavedSlos()
  const usual = useDefaultSlo()
  const { question, asked, isTyping, isObserved, isReading, change } = useQuestion()
  const isCluster = isOfCluster(run)
  const queries = compilation.queries.filter(({ bound }) => bound)
  const body = bodyOf(asked, run, usual, saved)
  const hasRates = Object.keys(asked.rates).length > 0
  const isWhole = hasRates && (!isCluster || (asked.nodes !== null && asked.cores !== null))
  const whole = useQuery({ ...capacity(environment, files, body, null), enabled: isWhole })
  const here = useQuery({ ...capacity(environment, files, body, asked.at), enabled: isWhole })
  const answer = isWhole ? whole.data : undefined
  const at = isWhole ? here.data?.by_users[0] : undefined
  const isStale = isTyping || whole.isPlaceholderData || here.isPlaceholderData
  const failed = isWhole ? (whole.error ?? here.error) : null
  if (isReading) return <EmptyState title="Reading what was executed…" />
  return (
    <div className={styles['capacity']}>
      {failed ? <ErrorNotice error={failed} /> : null}
      {isWhole ? null : (
        <Notice>
          {hasRates
            ? 'This run measured a cluster: say below how many nodes it has, and how many cores each of them.'
            : 'Give at least one query a rate below: how often it runs in a second.'}
        </Notice>
      )}
      {answer ? (
        <div className={styles['headline']} data-stale={isStale} role="status" aria-label="What breaks first">
          <h2 data-tone={headlineOf(answer).tone}>{headlineOf(answer).text}</h2>
          <p>{belowHeadline(answer)}</p>
          {answer.left_out.length > 0 ? (
            <p>Without {answer.left_out.map(({ query }) => query).join(', ')}, which the run has not measured.</p>
          ) : null}
        </div>
      ) : isWhole && !failed ? (
        <EmptyState title="Computing…" />
      ) : null}
      {answer?.warnings.map((warning) => (
        <Notice key={warning} tone="warning">
          {`${warning.charAt(0).toUpperCase()}${warning.slice(1)}.`}
        </Notice>
      ))}
      <section aria-label="Number of users">
        <h2>How many users?</h2>
        <UsersChoice users={question.at} onChange={(users) => change({ at: users })} />
        {answer && at ? (
          <div className={styles['stale']} data-stale={isStale}>
            <AtUsersFacts capacity={answer} at={at} />
          </div>
        ) : null}
      </section>
      {answer ? (
        <section aria-label="As users come" className={styles['stale']} data-stale={isStale}>
          <h2>As users come</h2>
          <Drawing answer={answer} users={question.at} />
          <details>
            <summary>In numbers</summary>
            <ByUsers capacity={answer} />
          </details>
        </section>
      ) : null}
      <section aria-label="Rates">
        <h2>Rates</h2>
        <p className={styles['soft']}>
          {isObserved ? 'These were observed in the last hour. ' : ''}
          One number where a rate is known, else three: 5 of 100 times it is below the first, half the time below the
          second, 95 of 100 below the third.
        </p>
        <div className={styles['of']}>
          <NumberField
            label="Users who make these rates"
            value={question.of}
            onChange={(of) => {
              if (of !== null && of >= 1) change({ of: Math.round(of) })
            }}
          />
        </div>
        <Rates
          queries={queries}
          rates={question.rates}
          capacity={answer}
          at={at}
          onChange={(rates) => change({ rates })}
        />
      </section>
      <section aria-label="Data, nodes and prices">
        <h2>Data, nodes and prices</h2>
        <Growth
          question={question}
          tables={compilation.tables}
          queries={compilation.queries}
          isCluster={isCluster}
          onChange={change}
        />
      </section>
      <p className={styles['soft']}>
        From the run {runName(run)}. All numbers are estimates (≈), from rates, work and measurements that are known
        only so well; none is a proof.
      </p>
    </div>
  )
}

function Drawing({ answer, users }: { answer: Capacity; users: number }) {
  const lines = linesOf(answer)
  const slosMs = [...new Set(lines.flatMap(({ sloMs }) => sloMs ?? []))]
  return <UsersCurve lines={lines} slosMs={slosMs} users={users} label={curveLabel(lines, formatShort)} />
}
