import { Gauge } from 'lucide-react'
import type { NoPrediction } from '../../api/types'
import { requestGridWith } from '../../app/grid-request'
import { pointText } from '../../logic/own-grid'
import { Button } from '../../ui/Button'
import { EmptyState } from '../../ui/EmptyState'

/** Says which point the profile run lacks for a prediction, with a button to profile it. */
export function NotMeasured({ lack }: { lack: NoPrediction }) {
  const { missing, query } = lack
  return (
    <EmptyState
      icon={<Gauge size={22} aria-hidden />}
      title={
        lack.kind === 'not-measured'
          ? `This run has no point for ${missing.operator}`
          : `This run’s points are too small for ${query}`
      }
      actions={<Button onClick={() => requestGridWith(missing)}>Profile with the missing point</Button>}
    >
      {query} asks for {pointText(missing)}
      {lack.kind === 'not-measured'
        ? ', which this run did not measure.'
        : ', more than five times the largest point of this run: so far beyond it nothing is predicted.'}{' '}
      Choose another run, or profile with a grid that holds it.
    </EmptyState>
  )
}
