import type { QueryLatency } from '../../api/types'
import { ShareDots } from '../../charts/ShareDots'
import { useSize } from '../../charts/useSize'
import { complianceSentence, observedCompliance, predictedCompliance, shareAxis } from '../../logic/compliance'
import { formatMs, formatPercent } from '../../units'
import { ComplianceBadge } from './ComplianceBadge'
import styles from './dashboard.module.css'

/** The share of the executions within the SLO, predicted and observed, and the verdict; nothing without either. */
export function PredictedCompliance({ latency }: { latency: QueryLatency }) {
  const [frame, { width }] = useSize<HTMLDivElement>()
  const { predicted_compliance, slo } = latency
  const agreement = predicted_compliance?.agreement
  if (!slo || !agreement) return null
  const { predicted, predicted_most, least, most, within_low, within_high } = agreement
  const [observedText, predictedText] = [observedCompliance(latency), predictedCompliance(latency)]
  return (
    <figure className={styles['figure']}>
      <figcaption className={styles['promiseTitle']}>
        Within {formatMs(slo.threshold_ms)}: {observedText}, predicted {predictedText}
        <ComplianceBadge latency={latency} />
      </figcaption>
      <div ref={frame}>
        <ShareDots
          axis={shareAxis([within_low, predicted, slo.quantile, least])}
          width={Math.max(200, width)}
          label={`Observed ${observedText}, predicted ${predictedText}, promised ${formatPercent(slo.quantile, 2)}`}
          data={{
            predicted: [predicted, predicted_most],
            region: [least, most],
            observed: agreement.within / agreement.executions,
            interval: [within_low, within_high],
            promised: slo.quantile,
          }}
        />
      </div>
      <p className={styles['soft']}>{complianceSentence(latency)}. The shaded part counts as predicted.</p>
    </figure>
  )
}
