/** What is unusual of a query beside its own past, in sentences. */
import { formatCount, formatMs, formatPercent, plural } from '../units'

interface Anomaly {
  measure: 'p50' | 'p99' | 'errors' | 'executions'
  hours: number
  observed: number
  usual: number
  executions: number
  limit_ms: number | null
  least_requests: number | null
  requests: number | null
  least_rows: number | null
  rows: number | null
}

interface Past {
  hours_known: number
  hours_needed: number
  weeks: number
  anomalies: readonly Anomaly[]
}

/** The worst thing that is unusual, in the words of a badge; undefined without any. */
export function unusualWord(anomalies: readonly Anomaly[] | undefined): string | undefined {
  const first = (...measures: Anomaly['measure'][]) => anomalies?.find(({ measure }) => measures.includes(measure))
  if (first('errors')) return 'more errors than usual'
  if (first('p99', 'p50')) return 'slower than usual'
  const counted = first('executions')
  return counted && `${counted.observed < counted.usual ? 'fewer' : 'more'} than usual`
}

/** How a query is beside its own past: one sentence where nothing is unusual. */
export function pastText({ hours_known: known, hours_needed: needed, weeks, anomalies }: Past): string {
  if (known < needed)
    return `Its past is not known yet: it was executed in ${formatCount(known)} of the ${needed} hours that a comparison takes.`
  const hours = `${plural(known, 'hour')} of the last ${weeks} weeks`
  return anomalies.length === 0 ? `Nothing unusual in its last 24 hours, beside ${hours}.` : `Unusual beside ${hours}:`
}

/** One thing that is unusual: of how many executions, over which hours, beside what is usual. */
export function anomalyText(anomaly: Anomaly): string {
  const { measure, hours, observed, usual, executions, limit_ms: limit } = anomaly
  const during = hours === 1 ? 'in the last hour' : `in the last ${hours} hours`
  switch (measure) {
    case 'executions':
      return `${observed < usual ? 'Fewer' : 'More'} executions: ${rate(observed)} an hour ${during}, where ${rate(usual)} are usual.`
    case 'errors':
      return `More errors: ${formatPercent(observed, 2)} of ${plural(executions, 'execution')} ${during} failed, where ${formatPercent(usual, 2)} are usual.`
    default:
      return `Slower at its ${measure}: ${formatPercent(observed, 1)} of ${plural(executions, 'execution')} ${during} took longer than ${formatMs(limit)}, where ${formatPercent(usual, 1)} are usual${sizeOf(anomaly)}.`
  }
}

function rate(value: number): string {
  return formatCount(Math.round(value))
}

function sizeOf({ least_requests, requests, least_rows, rows }: Anomaly): string {
  if (requests === null || rows === null) return ''
  return ` (${range(least_requests, requests)} requests, ${range(least_rows, rows)} rows)`
}

function range(least: number | null, most: number): string {
  return least === null || least === most ? formatCount(most) : `${formatCount(least)} to ${formatCount(most)}`
}
