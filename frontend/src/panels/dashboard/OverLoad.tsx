import { useQuery } from '@tanstack/react-query'
import { overLoad } from '../../api/latency-queries'
import type { Latency, QueryLatency } from '../../api/types'
import { useEnvironment } from '../../app/url-state'
import { LoadDots } from '../../charts/LoadDots'
import { sizeText } from '../../logic/latency-comparison'
import { overLoadText } from '../../logic/over-load-words'
import styles from './dashboard.module.css'

interface OverLoadProps {
  latency: QueryLatency
  versionId: string
  source: Latency['source']
}

/** Whether the p99 of a query is independent of the load, by the hours of the last weeks. */
export function OverLoad({ latency, versionId, source }: OverLoadProps) {
  const { data } = useQuery(overLoad(useEnvironment(), versionId, latency.query, source))
  if (!data) return null
  if (data.hours.length < 2) return <p className={styles['soft']}>{overLoadText(data)}</p>
  return (
    <figure className={styles['figure']}>
      <figcaption>p99 over load, by the hour, of up to {sizeText(data)}</figcaption>
      <p className={styles['blame']}>{overLoadText(data)}</p>
      <LoadDots
        dots={data.hours}
        sloMs={latency.slo?.threshold_ms ?? null}
        label={`p99 of ${latency.query} over the load, in ${data.hours.length} hours`}
      />
    </figure>
  )
}
