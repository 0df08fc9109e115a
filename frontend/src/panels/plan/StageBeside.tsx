import { useMemo } from 'react'
import type { Prediction, Stage } from '../../api/types'
import { useView } from '../../app/url-state'
import { PlanTree } from '../../charts/PlanTree'
import { changedNodes } from '../../logic/plan-tree'
import { latenciesOf } from './latencies'
import { PlanTable } from './PlanTable'

interface StageBesideProps {
  label: string
  /** Names what is drawn: when it changes, the drawing is fitted to the frame again. */
  subject: string
  stage: Stage
  /** The same stage of the other version: nodes that it has not are marked. */
  beside: Stage | undefined
  prediction?: Prediction | undefined
}

/** One stage of a plan that is not the one of the editor's text, as a tree or a table, to be compared with another. */
export function StageBeside({ label, subject, stage, beside, prediction }: StageBesideProps) {
  const { as, metric = 'operations' } = useView()
  const changed = useMemo(() => (beside ? changedNodes(beside.plan, stage.plan) : NOTHING), [beside, stage])
  const latencies = useMemo(() => latenciesOf(stage, prediction), [stage, prediction])
  if (as === 'table') return <PlanTable plan={stage.plan} selected={undefined} onSelect={ignore} />
  return (
    <PlanTree
      plan={stage.plan}
      label={label}
      subject={subject}
      selected={undefined}
      followed={undefined}
      changed={changed}
      metric={metric}
      latencies={latencies}
      onSelect={ignore}
    />
  )
}

const NOTHING: ReadonlySet<string> = new Set()

function ignore(): void {
  // It has no place in the text of the editor.
}
