import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { ChartNoAxesColumn, Rows3, Table2 } from 'lucide-react'
import { useMemo } from 'react'
import { ApiError } from '../../api/client'
import { allUnusual, latency } from '../../api/latency-queries'
import { operatorTimes } from '../../api/operator-times'
import { deployment, deployments } from '../../api/queries'
import type { Deployment, Latency } from '../../api/types'
import { PriceBasis } from '../../app/PriceBasis'
import { openPanel } from '../../app/panel-view'
import { usePricesOfVersion } from '../../app/prices'
import { selectQuery } from '../../app/selection'
import { setView, useEnvironment, useView } from '../../app/url-state'
import { ViewLink } from '../../app/ViewLink'
import { WindowChoice } from '../../app/WindowChoice'
import { rank } from '../../logic/latency-comparison'
import { shownQueries, stateOf } from '../../logic/shown-queries'
import { unusualWord } from '../../logic/unusual-words'
import { overviewOf } from '../../logic/view'
import { Button } from '../../ui/Button'
import { EmptyState } from '../../ui/EmptyState'
import { SelectField } from '../../ui/Field'
import { ErrorNotice, Notice } from '../../ui/Notice'
import { Switch } from '../../ui/Switch'
import { formatDay, formatTime } from '../../units'
import { Calibration } from './Calibration'
import { ComparisonList } from './ComparisonList'
import { ComparisonTable } from './ComparisonTable'
import styles from './dashboard.module.css'
import { OpenSlo } from './OpenSlo'
import { QueryDetail } from './QueryDetail'
import { NothingShown, ShownQueries } from './ShownQueries'

const MOST_WITHOUT_FILTER = 8 // queries
const LONGEST_OF_SAMPLES = 691_200 // seconds: eight days

/** Observed and predicted p99 and the SLO of every query of a version, the worst first, and one query in detail. */
export default function DashboardPanel() {
  const environment = useEnvironment()
  const view = useView()
  const { data: versions, error: versionsError } = useInfiniteQuery(deployments(environment))
  const { version, isUnknown, error: versionError } = useVersion(versions, view.deployment)
  const windowSeconds = view.window ?? 3600
  const { data, error } = useQuery({
    ...latency(environment, version?.id ?? '', windowSeconds, view.source ?? 'both'),
    enabled: version !== undefined,
  })
  if (versionsError && !versions) return <ErrorNotice error={versionsError} />
  if (isUnknown) {
    return (
      <EmptyState
        icon={<ChartNoAxesColumn size={22} aria-hidden />}
        title={`There is no deployment ${view.deployment}`}
        actions={<Button onClick={() => setView({ deployment: undefined })}>Show the live one</Button>}
      >
        The address names a version that this workbench has never deployed.
      </EmptyState>
    )
  }
  if (versionError) return <ErrorNotice error={versionError} />
  if (versions && !version && !view.deployment) {
    return (
      <EmptyState
        icon={<ChartNoAxesColumn size={22} aria-hidden />}
        title="Nothing is deployed yet"
        actions={<Button onClick={() => openPanel('deploy')}>Deploy</Button>}
      >
        Once queries run, their observed p99 is shown here beside the predicted one.
      </EmptyState>
    )
  }
  return (
    <div className={styles['panel']}>
      <div className={styles['bar']}>
        <h2 className={styles['title']}>Predicted and observed latency</h2>
        <div className={styles['choices']}>
          <ViewLink to={{ ...overviewOf(), window: view.window }}>All applications</ViewLink>
          <DeploymentChoice versions={versions ?? []} chosen={version} />
          <WindowChoice seconds={windowSeconds} />
          <SourceChoice />
          <Switch
            label="View of the dashboard"
            value={view.as === 'table' ? 'table' : 'chart'}
            options={[
              { value: 'chart', label: 'Chart', icon: <Rows3 size={12} aria-hidden /> },
              { value: 'table', label: 'Table', icon: <Table2 size={12} aria-hidden /> },
            ]}
            onChange={(value) => setView({ as: value === 'table' ? 'table' : undefined })}
          />
        </div>
      </div>
      {error ? <ErrorNotice error={error} /> : null}
      {data?.observed_since ? (
        <Notice tone="plain">
          Observing began anew on {formatDay(data.observed_since)} at {formatTime(data.observed_since)}: what was
          observed before is lost.
        </Notice>
      ) : null}
      {data && version ? (
        <Comparison data={data} version={version} />
      ) : error ? null : (
        <EmptyState title="Reading latencies…" />
      )}
    </div>
  )
}

/** The version with an id, which is requested if it is not in the list; without an id the live one. */
function useVersion(versions: readonly Deployment[] | undefined, id: string | undefined) {
  const environment = useEnvironment()
  const listed = versions?.find((version) => (id === undefined ? version.is_live : version.id === id))
  const { data, error } = useQuery({
    ...deployment(environment, id ?? ''),
    enabled: versions !== undefined && id !== undefined && !listed,
  })
  return {
    version: listed ?? (id === undefined ? undefined : data),
    isUnknown: error instanceof ApiError && error.status === 404,
    error,
  }
}

/** All queries as rows or as a table, beside the current one in detail. */
function Comparison({ data, version }: { data: Latency; version: Deployment }) {
  const view = useView()
  const environment = useEnvironment()
  const { data: times } = useQuery(
    operatorTimes(environment, version.id, Math.min(data.window_seconds, LONGEST_OF_SAMPLES), data.source),
  )
  const { data: look } = useQuery(allUnusual(environment, version.id, data.source))
  const unusual = useMemo(
    () => new Map(look?.queries.map(({ query, anomalies }) => [query, unusualWord(anomalies) ?? ''])),
    [look],
  )
  const ranked = useMemo(() => rank(data.queries, unusual), [data, unusual])
  const prices = usePricesOfVersion(version.id)
  const { named, shown } = useMemo(
    () => shownQueries(ranked, view.named ?? '', stateOf(view.state)),
    [ranked, view.named, view.state],
  )
  const selected = ranked.find((comparison) => comparison.latency.query === view.query) ?? shown[0] ?? ranked[0]
  return (
    <>
      <div className={styles['columns']}>
        <div className={styles['list']}>
          {data.queries.every(({ executions }) => executions === 0) ? (
            <div className={styles['idle']}>
              <Notice actions={<Button onClick={() => openPanel('run')}>Run a query</Button>}>
                {data.source === 'applications'
                  ? 'No application reported an execution in this window.'
                  : 'No query was executed in this window. Run one, or choose one and send a burst of it.'}
              </Notice>
            </div>
          ) : null}
          {ranked.length > MOST_WITHOUT_FILTER || view.named || view.state ? <ShownQueries named={named} /> : null}
          {shown.length === 0 ? (
            <NothingShown all={ranked.length} />
          ) : view.as === 'table' ? (
            <ComparisonTable
              ranked={shown}
              selected={selected?.latency.query}
              unusual={unusual}
              onChoose={selectQuery}
              prices={prices.byQuery}
            />
          ) : (
            <ComparisonList
              ranked={shown}
              selected={selected?.latency.query}
              unusual={unusual}
              onChoose={selectQuery}
            />
          )}
          <p className={styles['updated']}>
            Version {version.version} · {data.model ? '' : 'without predictions · '}as of {formatTime(data.updated_at)}
          </p>
          <PriceBasis report={prices.report} />
          <OpenSlo hasSlos={data.queries.some((query) => query.slo !== null)} deploymentId={version.id} />
        </div>
        {selected ? (
          <QueryDetail key={selected.latency.query} comparison={selected} version={version} data={data} times={times} />
        ) : null}
      </div>
      {times ? <Calibration queries={data.queries} times={times} /> : null}
    </>
  )
}

/** Whose executions are counted. */
function SourceChoice() {
  const { source } = useView()
  return (
    <SelectField
      label="Executions by"
      isLabelHidden
      value={source ?? 'both'}
      onChange={(event) => {
        const value = event.target.value
        setView({ source: value === 'workbench' || value === 'applications' ? value : undefined })
      }}
    >
      <option value="both">all executions</option>
      <option value="applications">by applications</option>
      <option value="workbench">by the workbench</option>
    </SelectField>
  )
}

function DeploymentChoice({ versions, chosen }: { versions: readonly Deployment[]; chosen: Deployment | undefined }) {
  return (
    <SelectField
      label="Deployment"
      isLabelHidden
      value={chosen?.id ?? ''}
      onChange={(event) =>
        setView({
          deployment: versions.find((version) => version.id === event.target.value)?.is_live
            ? undefined
            : event.target.value,
        })
      }
    >
      {[...versions, ...(chosen && !versions.some((version) => version.id === chosen.id) ? [chosen] : [])].map(
        (version) => (
          <option key={version.id} value={version.id}>
            version {version.version}
            {version.is_live ? ' (live)' : ''} · {formatDay(version.created_at)}
          </option>
        ),
      )}
    </SelectField>
  )
}
