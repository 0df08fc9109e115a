import { useQuery } from '@tanstack/react-query'
import { overSize } from '../../api/latency-queries'
import type { Latency, QueryLatency } from '../../api/types'
import { useEnvironment } from '../../app/url-state'
import { SizeDots } from '../../charts/SizeDots'
import { sizeText } from '../../logic/latency-comparison'
import { axisOf, overSizeText, p99IntervalText, predictedText, rangeText } from '../../logic/over-size-words'
import { ErrorNotice } from '../../ui/Notice'
import { formatMs, plural } from '../../units'
import styles from './dashboard.module.css'
import { SizeTable } from './SizeTable'

interface OverSizeProps {
  latency: QueryLatency
  versionId: string
  window: Pick<Latency, 'window_seconds' | 'source'>
}

/** The p99 of a query over the size of what it read, by class of sizes, beside what is predicted for each. */
export function OverSize({ latency, versionId, window }: OverSizeProps) {
  const environment = useEnvironment()
  const { data, error } = useQuery(
    overSize(environment, versionId, latency.query, window.window_seconds, window.source),
  )
  if (!data) return error ? <ErrorNotice error={error} /> : null
  const { classes, samples_needed: needed } = data
  if (classes.length === 0) return null
  const axis = axisOf(classes)
  return (
    <figure className={styles['figure']}>
      <figcaption>p99 over the size of what was read</figcaption>
      <p className={styles['blame']}>{overSizeText(classes, needed)}</p>
      {classes.length > 1 ? (
        <SizeDots
          dots={classes.map((of) => ({
            size: of[axis],
            name: axis === 'rows' ? rangeText(of.least_rows, of.rows) : rangeText(of.least_requests, of.requests),
            p99Ms: of.p99_ms,
            lowMs: of.p99_low_ms,
            highMs: of.p99_high_ms,
            predictedMs: of.predicted?.typical_p99_ms ?? null,
            title: `up to ${sizeText(of)}, ${plural(of.executions, 'execution')}: p99 ${of.p99_ms === null ? 'not known' : `${formatMs(of.p99_ms)} (${p99IntervalText(of) ?? 'no interval'})`}, predicted ${predictedText(of)}`,
          }))}
          unit={axis}
          sloMs={latency.slo?.threshold_ms ?? null}
          label={`p99 of ${latency.query} over ${axis}, in ${classes.length} classes of sizes`}
        />
      ) : null}
      <SizeTable query={latency.query} classes={classes} />
    </figure>
  )
}
