import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Play } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { deployments, sampleParameters } from '../../api/queries'
import type { DeployedQuery, Deployment } from '../../api/types'
import { MOD } from '../../app/keys'
import { openPanel } from '../../app/panel-view'
import { openProblems } from '../../app/problems-drawer'
import { selectQuery, useCompilation, useRepeatedQuery } from '../../app/selection'
import { useEnvironment, useView } from '../../app/url-state'
import { entryOf } from '../../logic/entry'
import { readParameters, type Typed, typedOf, valueOf } from '../../logic/parameters'
import { repeatedText, repeatedTitle } from '../../logic/repeated-query'
import { Button } from '../../ui/Button'
import { EmptyState } from '../../ui/EmptyState'
import { SelectField } from '../../ui/Field'
import { Form } from '../../ui/Form'
import { ErrorNotice } from '../../ui/Notice'
import { Failure } from './Failure'
import { NewerText } from './NewerText'
import { ParameterField } from './ParameterField'
import { PastRuns } from './PastRuns'
import { Result } from './Result'
import { errorAt } from './refusal'
import styles from './run.module.css'
import { SavedValues } from './SavedValues'
import { forgetTyped, keepTyped, useTyped } from './typed'
import { type Executions, useExecutions } from './useExecutions'
import { useNoRunWish, useRunWish } from './useRunWish'

/**
 * Runs a query of the live version: the form of its parameters, its rows page by page, and their cost beside the bound.
 */
export default function RunPanel() {
  const environment = useEnvironment()
  const { query } = useView()
  const { data: versions, error } = useInfiniteQuery(deployments(environment))
  const live = versions?.find((version) => version.is_live)
  if (error && !versions) return <ErrorNotice error={error} />
  if (!versions) return <EmptyState title="Looking for what is live…" />
  if (!live) return <NothingLive />
  const chosen = live.queries.find((deployed) => deployed.name === query)
  return (
    <div className={styles['panel']}>
      <PastRuns live={live} query={query} />
      {chosen ? (
        <RunForm key={`${live.id}/${chosen.name}`} live={live} query={chosen} />
      ) : (
        <div className={styles['form']}>
          <QueryChoice live={live} name="" />
          <NotLive live={live} name={query} />
        </div>
      )}
    </div>
  )
}

function NothingLive() {
  useNoRunWish()
  return (
    <EmptyState
      icon={<Play size={22} aria-hidden />}
      title="Nothing is deployed yet"
      actions={<Button onClick={() => openPanel('deploy')}>Deploy</Button>}
    >
      Only deployed queries run: their indexes exist and their bounds are held.
    </EmptyState>
  )
}

function QueryChoice({ live, name }: { live: Deployment; name: string }) {
  return (
    <SelectField
      label="Query"
      hint={`live version ${live.version}`}
      value={name}
      onChange={(event) => selectQuery(event.target.value)}
    >
      {name === '' ? <option value="">choose a query</option> : null}
      {live.queries.map((query) => (
        <option key={query.name}>{query.name}</option>
      ))}
    </SelectField>
  )
}

/** Says why a query cannot be run yet, and leads to what is missing: a bound, or a deployment. */
function NotLive({ live, name }: { live: Deployment; name: string | undefined }) {
  useNoRunWish()
  const compiled = useCompilation()?.queries.find((query) => query.name === name)
  const repeated = useRepeatedQuery()
  if (repeated) {
    return (
      <p className={styles['notLive']} role="status">
        {repeatedTitle(repeated)}. {repeatedText(repeated)}{' '}
        <Button size="small" onClick={() => selectQuery(repeated.name, { isFocused: true })}>
          Show the first one
        </Button>
      </p>
    )
  }
  const hasNoBound = compiled !== undefined && !compiled.bound
  return (
    <p className={styles['notLive']} role="status">
      {hasNoBound
        ? `${compiled.name} has no bound: it cannot be deployed and run. `
        : name
          ? `${name} is not part of live version ${live.version}. `
          : ''}
      <Button size="small" onClick={() => (hasNoBound ? openProblems() : openPanel('deploy'))}>
        {hasNoBound ? 'Show the problem' : 'Deploy it'}
      </Button>
    </p>
  )
}

interface RunFormProps {
  live: Deployment
  query: DeployedQuery
}

/** The form of one query, and below it the result of its last execution. */
function RunForm({ live, query }: RunFormProps) {
  const environment = useEnvironment()
  const typed = useTyped(query.name)
  const {
    data: samples,
    isError: hasNoSamples,
    refetch,
  } = useQuery({ ...sampleParameters(environment, live.id, query.name), enabled: query.parameters.length > 0 })
  const samplesOf = Object.fromEntries(
    query.parameters.flatMap((parameter) =>
      samples && Object.hasOwn(samples.parameters, parameter.name)
        ? [[parameter.name, typedOf(parameter, entryOf(samples.parameters, parameter.name))]]
        : [],
    ),
  )
  const [held, setHeld] = useState<Record<string, Typed>>({}) // the field in use, which takes no sample that arrives late
  const shown = { ...samplesOf, ...held, ...typed }
  const isWrite = query.kind !== 'select'
  const executions = useExecutions(live, query, shown)
  const { refusal, runFirst } = executions
  const isReady = query.parameters.length === 0 || samples !== undefined || hasNoSamples
  const form = useRef<HTMLFormElement>(null)
  const wished = useRunWish({ form, query: query.name, isWrite, isReady, values: shown, run: runFirst })
  useEffect(() => {
    if (refusal) form.current?.querySelector<HTMLElement>('[data-fields] [aria-invalid]')?.focus()
  }, [refusal, form])
  return (
    <>
      <Form
        ref={form}
        className={styles['form']}
        aria-label={`Run ${query.name}`}
        data-run={query.name}
        onSubmit={() => {
          wished.onRun()
          runFirst()
        }}
      >
        <QueryChoice live={live} name={query.name} />
        <div className={styles['fields']} data-fields>
          {query.parameters.map((parameter) => (
            <ParameterField
              key={parameter.name}
              parameter={parameter}
              value={valueOf(shown, parameter.name)}
              source={entryOf(samples?.sources, parameter.name)}
              error={errorAt(refusal, parameter.name, valueOf(shown, parameter.name))}
              onChange={(text) => {
                wished.onTyped(parameter.name, text)
                keepTyped(query.name, parameter.name, text)
              }}
              onFocus={() => {
                wished.onSeen()
                setHeld({ [parameter.name]: valueOf(shown, parameter.name) })
              }}
              onBlur={() => setHeld({})}
            />
          ))}
        </div>
        {wished.isShown ? (
          <p className={styles['notRun']} role="status">
            Nothing has run yet. {query.kind === 'select' ? 'The caret is in no query' : `${query.name} writes`}: check
            the values, then press {MOD} Enter again.
          </p>
        ) : null}
        <NewerText live={live} query={query.name} />
        <div className={styles['actions']}>
          <Button
            type="submit"
            look="primary"
            isWrapped
            icon={<Play size={13} aria-hidden />}
            disabled={executions.isPending}
          >
            Run {query.name}
          </Button>
          {query.parameters.length > 0 ? (
            <Button
              look="quiet"
              onClick={() => {
                forgetTyped(query.name)
                void refetch()
              }}
            >
              Sample values
            </Button>
          ) : null}
        </div>
      </Form>
      {query.parameters.length > 0 ? (
        <SavedValues live={live} query={query} values={readParameters(query.parameters, shown)} />
      ) : null}
      <Outcome executions={executions} isWrite={isWrite} />
    </>
  )
}

/** The result of the last execution: its rows, why it failed, or that nothing has run yet. */
function Outcome({ executions, isWrite }: { executions: Executions; isWrite: boolean }) {
  const { pages, error, refusal, isPending, run, goBack } = executions
  const last = pages.at(-1)
  return (
    <div className={styles['result']} aria-busy={isPending}>
      {refusal ? (
        <EmptyState icon={<Play size={22} aria-hidden />} title="Nothing has run">
          {`${refusal.parameter} does not fit: its field says why.`}
        </EmptyState>
      ) : error ? (
        <div className={styles['error']}>
          <Failure error={error} isWrite={isWrite} />
        </div>
      ) : null}
      {last && !error ? (
        <Result
          answer={last.answer}
          page={pages.length}
          isPending={isPending}
          onNext={
            last.answer.cursor === null
              ? null
              : () => run({ parameters: last.request.parameters, cursor: last.answer.cursor, page: pages.length })
          }
          onPrevious={pages.length > 1 ? goBack : null}
        />
      ) : null}
      {!last && !error ? (
        <EmptyState icon={<Play size={22} aria-hidden />} title={isPending ? 'Running…' : 'Ready to run'}>
          {isWrite
            ? 'This query writes: it changes the data of the store.'
            : 'The rows appear here, with the operations they cost.'}
        </EmptyState>
      ) : null}
    </div>
  )
}
