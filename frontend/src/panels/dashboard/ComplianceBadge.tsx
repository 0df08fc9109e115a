import type { QueryLatency } from '../../api/types'
import { COMPLIANCE_WORDS, complianceSentence } from '../../logic/compliance'
import { Badge } from '../../ui/Badge'
import { COMPLIANCE_TONES } from './verdicts'

/** Whether an SLO is kept as often as predicted; nothing where that is not compared. */
export function ComplianceBadge({ latency }: { latency: QueryLatency }) {
  const agreement = latency.predicted_compliance?.agreement
  if (!latency.slo || !agreement) return null
  return (
    <span title={complianceSentence(latency) ?? undefined}>
      <Badge tone={COMPLIANCE_TONES[agreement.outcome]}>{COMPLIANCE_WORDS[agreement.outcome]}</Badge>
    </span>
  )
}
