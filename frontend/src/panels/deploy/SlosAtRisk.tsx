import type { Preview } from '../../api/types'
import { ViewLink } from '../../app/ViewLink'
import { aboutMs } from '../../logic/estimate'
import { Notice } from '../../ui/Notice'
import { formatMs, formatPercent } from '../../units'

/** A warning for each saved SLO that is predicted to be broken; it does not keep anybody from deploying. */
export function SlosAtRisk({ preview }: { preview: Preview }) {
  return preview.slos_at_risk.map(({ query, quantile, threshold_ms, typical_ms, worst_ms }) => (
    <Notice key={query} tone="warning" role="status">
      {query} is predicted to break its SLO: {formatPercent(quantile, 2)} take {aboutMs(typical_ms)}
      {worst_ms > typical_ms ? `, in the worst interval ${aboutMs(worst_ms)}` : ''}, and {formatMs(threshold_ms)} are
      promised.{' '}
      <ViewLink to={{ page: 'workbench', panel: 'heatmap', query, slo: undefined }}>
        Lower a limit in its heatmap, or change the SLO there
      </ViewLink>
    </Notice>
  ))
}
