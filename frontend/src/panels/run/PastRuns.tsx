import { ChevronDown, ChevronRight } from 'lucide-react'
import type { DeployedQuery, Deployment } from '../../api/types'
import { useRunWish } from '../../app/run-request'
import { selectQuery } from '../../app/selection'
import { useEnvironment, useView } from '../../app/url-state'
import { type ParameterValues, type PastRun, valuesText } from '../../logic/run-history'
import { Button } from '../../ui/Button'
import { Spacer, Toolbar } from '../../ui/Table'
import { formatCount, formatDay, formatMs, formatTimestamp, plural } from '../../units'
import { clearPastRuns, usePastRuns, useRunList } from './past-runs'
import styles from './past-runs.module.css'
import { typeValues } from './typed'

interface PastRunsProps {
  live: Deployment
  /** The current query. */
  query: string | undefined
}

/** What was run before in this browser, the newest first: to be run again, or put back into the form. */
export function PastRuns({ live, query }: PastRunsProps) {
  const { application } = useView()
  const runs = usePastRuns()
  const { isOpen, isOfQueryOnly } = useRunList()
  const shown = isOfQueryOnly ? runs.filter((run) => run.query === query) : runs
  const Mark = isOpen ? ChevronDown : ChevronRight
  return (
    <section className={styles['pastRuns']} aria-label="Earlier runs">
      <Toolbar label="Earlier runs">
        <Button
          size="small"
          look="quiet"
          icon={<Mark size={13} aria-hidden />}
          aria-expanded={isOpen}
          onClick={() => useRunList.setState({ isOpen: !isOpen })}
        >
          Earlier runs ({formatCount(runs.length)})
        </Button>
        {isOpen ? (
          <>
            {query ? (
              <label className={styles['only']}>
                <input
                  type="checkbox"
                  checked={isOfQueryOnly}
                  onChange={(event) => useRunList.setState({ isOfQueryOnly: event.target.checked })}
                />
                only {query}
              </label>
            ) : null}
            <Spacer />
            <span className={styles['where']}>Kept in this browser alone.</span>
            <Button size="small" onClick={() => clearPastRuns(application)}>
              Clear
            </Button>
          </>
        ) : null}
      </Toolbar>
      {shown.length > 0 && isOpen ? (
        <ol className={styles['list']} aria-label="Runs">
          {shown.map((run) => (
            <Run key={`${run.at} ${run.query}`} run={run} query={live.queries.find(({ name }) => name === run.query)} />
          ))}
        </ol>
      ) : null}
      {isOpen && shown.length === 0 ? <p className={styles['none']}>Nothing was run here yet.</p> : null}
    </section>
  )
}

/** One run; `query` is the live query of its name, if there is one. */
function Run({ run, query }: { run: PastRun; query: DeployedQuery | undefined }) {
  const { environment } = useEnvironment()
  const { values } = run
  const isHere = run.environment === environment
  return (
    <li className={styles['run']}>
      <div className={styles['about']}>
        <p className={styles['head']}>
          <strong className={styles['name']}>{run.query}</strong>
          <span>{outcomeOf(run)}</span>
          <time dateTime={run.at} title={formatTimestamp(run.at)}>
            {formatDay(run.at)}
          </time>
          {isHere ? null : <span>in {run.environment}</span>}
        </p>
        {run.error === null ? null : <p className={styles['error']}>{run.error}</p>}
        {values === null ? <p className={styles['values']}>Its values were too long to be kept.</p> : null}
        {values && Object.keys(values).length > 0 ? <p className={styles['values']}>{valuesText(values)}</p> : null}
        {query ? null : <p className={styles['values']}>{run.query} is not live.</p>}
      </div>
      {values && query ? (
        <span className={styles['actions']}>
          {isHere ? (
            <Button size="small" aria-label={`Run again: ${run.query}`} onClick={() => runAgain(query, values)}>
              Run again
            </Button>
          ) : null}
          {query.parameters.length > 0 ? (
            <Button
              size="small"
              look="quiet"
              aria-label={`Use these values: ${run.query}`}
              onClick={() => putBack(query, values)}
            >
              Use these values
            </Button>
          ) : null}
        </span>
      ) : null}
    </li>
  )
}

/** `10 rows · 7 of ≤ 101 operations · 3.2 ms`, or that it failed. */
function outcomeOf({ cost, isWrite }: PastRun): string {
  if (cost === null) return 'failed'
  const rows = plural(cost.rows, 'row') + (isWrite ? ' affected' : '')
  return `${rows} · ${formatCount(cost.operations)} of ≤ ${plural(cost.bound, 'operation')} · ${formatMs(cost.elapsedMs)}`
}

/** Shows a query with the values of an earlier run in its form. */
function putBack(query: DeployedQuery, values: ParameterValues): void {
  typeValues(query.name, query.parameters, values)
  selectQuery(query.name)
}

/** Runs a query as before; a write is shown in its form first, like one that a key asks for. */
function runAgain(query: DeployedQuery, values: ParameterValues): void {
  putBack(query, values)
  useRunWish.setState({ wish: { query: query.name, isUnderCaret: false, isFromForm: true } })
}
