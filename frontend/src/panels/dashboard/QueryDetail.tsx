import { useQuery } from '@tanstack/react-query'
import { latencyCharts } from '../../api/latency-queries'
import type { Deployment, Latency, OperatorTimes, QueryLatency } from '../../api/types'
import { usePricesOfVersion } from '../../app/prices'
import { useEnvironment } from '../../app/url-state'
import { HistogramChart } from '../../charts/HistogramChart'
import { LatencySeries } from '../../charts/LatencySeries'
import { aboutShare, predictedCompliance } from '../../logic/compliance'
import { estimateText } from '../../logic/estimate'
import { type Comparison, predictedForSeen, sizeText } from '../../logic/latency-comparison'
import { monthText, mostText, onAverageText } from '../../logic/price-words'
import { EmptyState } from '../../ui/EmptyState'
import { ErrorNotice, Notice } from '../../ui/Notice'
import { formatCount, formatMs } from '../../units'
import { BurstControl } from './BurstControl'
import styles from './dashboard.module.css'
import { OverLoad } from './OverLoad'
import { OverSize } from './OverSize'
import { PredictedCompliance } from './PredictedCompliance'
import { SloForm } from './SloForm'
import { TimeSpent } from './TimeSpent'
import { Unusual } from './Unusual'
import { ADVICE, budgetText, burnText, complianceText, incidentText, withinDetail, withinText } from './verdicts'

interface QueryDetailProps {
  comparison: Comparison<QueryLatency>
  version: Deployment
  /** The window and the source that are shown, and the deployments in that time. */
  data: Pick<Latency, 'window_seconds' | 'source' | 'markers'>
  /** Where the time of the queries goes, once that was read. */
  times: OperatorTimes | undefined
}

/** One query in detail: sentences, numbers, charts over time, a burst, and its SLO. */
export function QueryDetail({ comparison, version, data, times }: QueryDetailProps) {
  const { latency, sentence, ofPrediction } = comparison
  const query = version.queries.find((deployed) => deployed.name === latency.query)
  return (
    <section className={styles['detail']} aria-label={`Latency of ${latency.query}`}>
      <header>
        <h3 className={styles['detailName']}>{latency.query}</h3>
        <p className={styles['soft']}>{sentence}.</p>
        {ofPrediction === sentence ? null : <p className={styles['soft']}>{ofPrediction}.</p>}
        {latency.plan_since < version.version ? (
          <p className={styles['soft']}>Counted since version {latency.plan_since}: its plan is still the same.</p>
        ) : null}
      </header>
      {latency.incidents.length > 0 ? (
        <Notice tone="danger" role="alert">
          {latency.incidents.map((incident) => (
            <p key={`${incident.kind} ${incident.source}`}>{incidentText(incident, latency.bound_operations)}</p>
          ))}
          {[...new Set(latency.incidents.map(({ kind }) => kind))].map((kind) => (
            <p key={kind}>{ADVICE[kind]}</p>
          ))}
        </Notice>
      ) : null}
      <Unusual query={latency.query} versionId={version.id} source={data.source} />
      <Facts latency={latency} versionId={version.id} />
      <PredictedCompliance latency={latency} />
      {latency.was_executed && times ? (
        <TimeSpent query={latency.query} times={times} hasOperators={latency.bound_operations > 1} />
      ) : null}
      {latency.was_executed ? (
        <Charts latency={latency} version={version} data={data} />
      ) : (
        <EmptyState title="Not executed in this window">Run it, or send a burst.</EmptyState>
      )}
      {latency.was_executed ? (
        <>
          <OverSize latency={latency} versionId={version.id} window={data} />
          <OverLoad latency={latency} versionId={version.id} source={data.source} />
        </>
      ) : null}
      {query ? <BurstControl deploymentId={version.id} query={query} /> : null}
      <SloForm query={latency.query} slo={latency.slo} />
    </section>
  )
}

function Facts({ latency, versionId }: { latency: QueryLatency; versionId: string }) {
  const price = usePricesOfVersion(versionId).byQuery.get(latency.query)
  const predicted = predictedForSeen(latency)
  return (
    <dl className={styles['facts']}>
      <Fact name="Observed p99" value={formatMs(latency.observed?.p99_ms)} />
      <Fact
        name="Predicted p99"
        value={predicted ? estimateText(predicted) : '–'}
        detail={predicted ? `for ${sizeText(predicted)}` : 'of the size that ran'}
      />
      {latency.predicted ? (
        <Fact
          name="At the limits"
          value={estimateText(latency.predicted)}
          detail={`for ${sizeText(latency.predicted)}`}
        />
      ) : null}
      <Fact name="Observed p50" value={formatMs(latency.observed?.p50_ms)} />
      <Fact name="Observed p99.9" value={formatMs(latency.observed?.p999_ms)} />
      <Fact name="Executions" value={formatCount(latency.executions)} />
      <Fact name="Failures" value={formatCount(latency.failures)} />
      <Fact
        name="Operations"
        value={`${latency.most_operations === null ? '–' : formatCount(latency.most_operations)} of ≤ ${formatCount(latency.bound_operations)}`}
      />
      {price ? (
        <Fact name="$ of 1,000 at most" value={mostText(price)} detail={price.why_none ?? 'from the proof'} />
      ) : null}
      {latency.price ? (
        <Fact
          name="$ of 1,000 on average"
          value={onAverageText(latency.price)}
          detail={`from what was observed; ${monthText(latency.price)}`}
        />
      ) : null}
      <Fact name="SLO" value={complianceText(latency)} />
      {latency.budget ? <Fact name="Error budget left" value={budgetText(latency)} detail={burnText(latency)} /> : null}
      {latency.compliance && latency.slo ? (
        <Fact
          name={`Within ${formatMs(latency.slo.threshold_ms)}`}
          value={withinText(latency.compliance)}
          detail={withinDetail(latency.compliance, latency.slo.quantile)}
        />
      ) : null}
      {latency.slo && latency.predicted_compliance ? (
        <Fact
          name={`Predicted within ${formatMs(latency.slo.threshold_ms)}`}
          value={predictedCompliance(latency)}
          detail={complianceDetail(latency.predicted_compliance)}
        />
      ) : null}
    </dl>
  )
}

/** What the predicted compliance is for. */
function complianceDetail({ agreement, at_limits }: NonNullable<QueryLatency['predicted_compliance']>): string {
  if (!agreement) return 'at the limits'
  return at_limits === null ? 'for what ran' : `for what ran; at the limits ${aboutShare(at_limits)}`
}

/** Quantiles over time, and the distribution of latencies. */
function Charts({
  latency,
  version,
  data,
}: { latency: QueryLatency } & Omit<QueryDetailProps, 'comparison' | 'times'>) {
  const environment = useEnvironment()
  const { data: charts, error } = useQuery(
    latencyCharts(environment, version.id, latency.query, data.window_seconds, data.source),
  )
  if (!charts) return error ? <ErrorNotice error={error} /> : <EmptyState title="Reading latencies…" />
  return (
    <>
      {charts.series.length > 0 ? (
        <figure className={styles['figure']}>
          <figcaption>p50, p99 and p99.9 over time</figcaption>
          <LatencySeries
            points={charts.series}
            predictedMs={predictedForSeen(latency)?.typical_p99_ms ?? null}
            markers={data.markers.map((marker) => ({
              version: marker.version,
              at: marker.at,
              isNewPlan: marker.changed.includes(latency.query),
            }))}
            sloMs={latency.slo?.threshold_ms ?? null}
            label={`p50, p99 and p99.9 of ${latency.query} over time`}
          />
        </figure>
      ) : null}
      {charts.histogram.length > 0 ? (
        <figure className={styles['figure']}>
          <figcaption>How often each latency was seen</figcaption>
          <HistogramChart bins={charts.histogram} label={`Distribution of the latency of ${latency.query}`} />
        </figure>
      ) : null}
    </>
  )
}

function Fact({ name, value, detail }: { name: string; value: string; detail?: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {value}
        {detail ? <small className={styles['factDetail']}>{detail}</small> : null}
      </dd>
    </div>
  )
}
