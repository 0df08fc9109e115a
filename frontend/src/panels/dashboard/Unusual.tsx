import { useQuery } from '@tanstack/react-query'
import { unusual } from '../../api/latency-queries'
import type { Latency } from '../../api/types'
import { useEnvironment } from '../../app/url-state'
import { anomalyText, pastText } from '../../logic/unusual-words'
import { ErrorNotice, Notice } from '../../ui/Notice'
import styles from './dashboard.module.css'

interface UnusualProps {
  query: string
  versionId: string
  source: Latency['source']
}

/** The last hours of a query beside its own past. */
export function Unusual({ query, versionId, source }: UnusualProps) {
  const { data, error } = useQuery(unusual(useEnvironment(), versionId, query, source))
  if (error) return <ErrorNotice error={error} />
  if (!data) return null
  if (data.anomalies.length === 0) return <p className={styles['soft']}>{pastText(data)}</p>
  return (
    <Notice
      tone="warning"
      help={data.anomalies.map((anomaly) => <p key={anomalyText(anomaly)}>{anomalyText(anomaly)}</p>)}
    >
      {pastText(data)}
    </Notice>
  )
}
