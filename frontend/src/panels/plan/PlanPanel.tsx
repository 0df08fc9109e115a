import { Network, Table2, Workflow } from 'lucide-react'
import { useMemo } from 'react'
import type { Query, Stage } from '../../api/types'
import { reveal, useCaret } from '../../app/editor-bridge'
import { usePredictions } from '../../app/predictions'
import { useHasStages, useSelectedQuery } from '../../app/selection'
import { setView, useView } from '../../app/url-state'
import { PlanTree } from '../../charts/PlanTree'
import { aboutMs } from '../../logic/estimate'
import { changedNodes, nodeAtCaret } from '../../logic/plan-tree'
import type { PlanNode, TextRange } from '../../logic/shapes'
import { EmptyState } from '../../ui/EmptyState'
import { Switch } from '../../ui/Switch'
import { Spacer, Toolbar } from '../../ui/Table'
import { PlanTable } from './PlanTable'
import styles from './plan.module.css'
import { Stages } from './Stages'
import { UnboundedFindings } from './UnboundedFindings'

/** The plan of the current query: its stages, and the chosen stage as a tree or a table. */
export default function PlanPanel() {
  const query = useSelectedQuery()
  const hasStages = useHasStages(query)
  if (!query) {
    return (
      <EmptyState icon={<Network size={22} aria-hidden />} title="No query is selected">
        Choose a query on the left, or place the caret in one.
      </EmptyState>
    )
  }
  if (!hasStages) return null
  if (query.stages.length === 0) {
    return (
      <EmptyState icon={<Network size={22} aria-hidden />} title={`${query.name} has no plan yet`}>
        The text cannot be understood far enough to plan it; see the problems.
      </EmptyState>
    )
  }
  return <Plan query={query} />
}

function Plan({ query }: { query: Query }) {
  const view = useView()
  const stage = query.stages.find((candidate) => candidate.name === view.stage) ?? query.stages.at(-1)
  const caret = useCaret((state) => (state.isMoved ? state.caret : null))
  const predictions = usePredictions()
  const index = stage ? query.stages.indexOf(stage) : 0
  const changed = useMemo(
    () => (stage ? changedNodes(query.stages[index - 1]?.plan, stage.plan) : new Set<string>()),
    [query, stage, index],
  )
  const notes = useMemo(
    () =>
      new Map(
        stage?.name === 'physical'
          ? (predictions.get(query.name)?.operators ?? []).map(
              (operator) => [operator.path, `p99 ${aboutMs(operator.typical_p99_ms)}`] as const,
            )
          : [],
      ),
    [predictions, query, stage],
  )
  if (!stage) return null
  const followed = caret ? nodeAtCaret(stage.plan, caret)?.id : undefined
  const select = (node: PlanNode) => {
    setView({ node: node.id, stage: stage.name })
    if (node.range) reveal(node.range as TextRange)
  }
  const isTable = view.as === 'table'
  return (
    <div className={styles['panel']}>
      <Toolbar label="Plan">
        <h2 className={styles['title']}>{query.name}</h2>
        <Spacer />
        <Switch
          label="View of the plan"
          value={isTable ? 'table' : 'graph'}
          options={[
            { value: 'graph', label: 'Graph', icon: <Workflow size={12} aria-hidden /> },
            { value: 'table', label: 'Table', icon: <Table2 size={12} aria-hidden /> },
          ]}
          onChange={(value) => setView({ as: value === 'table' ? 'table' : undefined })}
        />
      </Toolbar>
      <Stages
        stages={query.stages}
        current={stage}
        onChoose={(chosen: Stage) => setView({ stage: chosen.name, node: undefined })}
      />
      <UnboundedFindings query={query} />
      <div className={styles['drawing']}>
        {isTable ? (
          <PlanTable plan={stage.plan} selected={view.node} onSelect={select} />
        ) : (
          <PlanTree
            plan={stage.plan}
            label={`Plan of ${query.name}, ${stage.name}`}
            subject={`${query.name}/${stage.name}/${query.is_bounded}`}
            selected={view.node}
            followed={followed}
            changed={index > 0 && stage.name !== 'physical' ? changed : NOTHING}
            notes={notes}
            onSelect={select}
          />
        )}
      </div>
    </div>
  )
}

const NOTHING: ReadonlySet<string> = new Set()
