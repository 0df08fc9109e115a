import { isUnderWay } from '../../api/experiment-queries'
import type { Experiment } from '../../api/types'
import { Badge, type Tone } from '../../ui/Badge'

export const TONES: Readonly<Record<NonNullable<Experiment['verdict']>, Tone>> = {
  agrees: 'accent',
  disagrees: 'danger',
  undecidable: 'info',
}

/** What an experiment is doing, or what came of it. */
export function VerdictBadge({ experiment }: { experiment: Experiment }) {
  if (isUnderWay(experiment)) return <Badge tone="warning">{experiment.state}</Badge>
  return (
    <>
      {experiment.state === 'failed' ? <Badge tone="danger">failed</Badge> : null}
      {experiment.verdict ? <Badge tone={TONES[experiment.verdict]}>{experiment.verdict}</Badge> : null}
      {experiment.state === 'never-run' ? <Badge>not run</Badge> : null}
    </>
  )
}
