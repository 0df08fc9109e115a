import { Columns2, Network, Table2, Workflow } from 'lucide-react'
import { useMemo } from 'react'
import type { Prediction, Query, Stage, ThreadAnchor } from '../../api/types'
import { reveal } from '../../app/editor-bridge'
import { NoQuery } from '../../app/NoQuery'
import { usePredictions } from '../../app/predictions'
import { useHasStages, useSelectedQuery } from '../../app/selection'
import { commentOn, useThreadCounts } from '../../app/threads'
import { setView, useView } from '../../app/url-state'
import { PlanTree } from '../../charts/PlanTree'
import { PLAN_METRICS, type PlanMetric } from '../../logic/plan-metric'
import { changedNodes, findNode } from '../../logic/plan-tree'
import type { PlanNode, TextRange } from '../../logic/shapes'
import { Button } from '../../ui/Button'
import { EmptyState } from '../../ui/EmptyState'
import { Switch } from '../../ui/Switch'
import { Spacer, Toolbar } from '../../ui/Table'
import { CommentButtons } from '../comments/CommentButtons'
import { useFollowedNode } from './followed-node'
import { LivePlan } from './LivePlan'
import { latenciesOf } from './latencies'
import { PlanTable } from './PlanTable'
import styles from './plan.module.css'
import { Stages } from './Stages'
import { UnboundedFindings } from './UnboundedFindings'

/** The plan of the current query: its stages, and the chosen stage as a tree or a table, beside the live plan on demand. */
export default function PlanPanel() {
  const query = useSelectedQuery()
  const hasStages = useHasStages(query)
  if (!query) {
    return (
      <NoQuery icon={<Network size={22} aria-hidden />}>Choose a query on the left, or place the caret in one.</NoQuery>
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
  const prediction = usePredictions().get(query.name)
  const stage = query.stages.find((candidate) => candidate.name === view.stage) ?? query.stages.at(-1)
  const threads = useNodeThreads(query, stage)
  if (!stage) return null
  const select = (node: PlanNode) => {
    setView({ node: node.id, stage: stage.name })
    if (node.range) reveal(node.range as TextRange)
  }
  return (
    <div className={styles['panel']}>
      <Tools query={query} stage={stage} hasLatencies={stage.name === 'physical' && prediction !== undefined} />
      <Stages
        stages={query.stages}
        current={stage}
        onChoose={(chosen: Stage) => setView({ stage: chosen.name, node: undefined })}
      />
      <UnboundedFindings query={query} />
      <div className={styles['drawings']}>
        {view.against === 'live' ? <LivePlan query={query} stage={stage} /> : null}
        <div className={styles['side']}>
          {view.against === 'live' ? <p className={styles['sideHead']}>Text, as it is now</p> : null}
          <div className={styles['drawing']}>
            {view.as === 'table' ? (
              <PlanTable plan={stage.plan} selected={view.node} threads={threads} onSelect={select} />
            ) : (
              <PlanOfText query={query} stage={stage} prediction={prediction} threads={threads} onSelect={select} />
            )}
          </div>
        </div>
      </div>
    </div>
  )
}

const METRIC_NAMES: Readonly<Record<PlanMetric, string>> = {
  operations: 'operations',
  rows: 'rows',
  bytes: 'bytes',
  p99: 'p99',
}

/** Above the plan: its query, what its nodes are weighed by, and what is shown. */
function Tools({ query, stage, hasLatencies }: { query: Query; stage: Stage; hasLatencies: boolean }) {
  const view = useView()
  const chosen = view.node ? findNode(stage.plan, view.node) : undefined
  const metrics = PLAN_METRICS.filter((metric) => metric !== 'p99' || hasLatencies || view.metric === 'p99')
  return (
    <Toolbar label="Plan">
      <h2 className={styles['title']}>{query.name}</h2>
      {chosen && takesComments(query, stage) ? <CommentButtons anchor={anchorOf(query, chosen)} /> : null}
      <Spacer />
      <select
        className={styles['choice']}
        aria-label="Heaviest by"
        value={view.metric ?? 'operations'}
        onChange={({ target }) => {
          const metric = PLAN_METRICS.find((name) => name === target.value) ?? 'operations'
          setView({ metric: metric === 'operations' ? undefined : metric })
        }}
      >
        {metrics.map((metric) => (
          <option key={metric} value={metric}>
            by {METRIC_NAMES[metric]}
          </option>
        ))}
      </select>
      <Button
        size="small"
        aria-pressed={view.against === 'live'}
        icon={<Columns2 size={12} aria-hidden />}
        onClick={() => setView({ against: view.against === 'live' ? undefined : 'live' })}
      >
        Compare with live
      </Button>
      <Switch
        label="View of the plan"
        value={view.as === 'table' ? 'table' : 'graph'}
        options={[
          { value: 'graph', label: 'Graph', icon: <Workflow size={12} aria-hidden /> },
          { value: 'table', label: 'Table', icon: <Table2 size={12} aria-hidden /> },
        ]}
        onChange={(value) => setView({ as: value === 'table' ? 'table' : undefined })}
      />
    </Toolbar>
  )
}

interface PlanOfTextProps {
  query: Query
  stage: Stage
  prediction: Prediction | undefined
  threads: ReadonlyMap<string, number>
  onSelect: (node: PlanNode) => void
}

/** The chosen stage as a tree; the node at the caret is marked, and what the stage changed of the one before. */
function PlanOfText({ query, stage, prediction, threads, onSelect }: PlanOfTextProps) {
  const { node, metric = 'operations' } = useView()
  const followed = useFollowedNode(stage.plan)
  const latencies = useMemo(() => latenciesOf(stage, prediction), [stage, prediction])
  const changed = useMemo(() => {
    const before = query.stages[query.stages.indexOf(stage) - 1]
    return before && stage.name !== 'physical' ? changedNodes(before.plan, stage.plan) : NOTHING
  }, [query, stage])
  return (
    <PlanTree
      plan={stage.plan}
      label={`Plan of ${query.name}, ${stage.name}`}
      subject={`${query.name}/${stage.name}/${query.is_bounded}`}
      selected={node}
      followed={followed}
      changed={changed}
      metric={metric}
      latencies={latencies}
      threads={threads}
      onSelect={onSelect}
      onComment={takesComments(query, stage) ? (on) => commentOn(anchorOf(query, on)) : undefined}
    />
  )
}

/** Nodes of the last stage take comments: it is the plan that is carried out, or the one that has no bound. */
function takesComments(query: Query, stage: Stage): boolean {
  return stage.name === query.stages.at(-1)?.name
}

function anchorOf(query: Query, { id, operator }: PlanNode): ThreadAnchor {
  return { kind: 'node', query: query.name, node: id, operator }
}

/** How many open threads of comments there are about the nodes of a stage, by their ids. */
function useNodeThreads(query: Query, stage: Stage | undefined): ReadonlyMap<string, number> {
  const { ofNode } = useThreadCounts()
  return (stage && takesComments(query, stage) && ofNode.get(query.name)) || NO_THREADS
}

const NOTHING: ReadonlySet<string> = new Set()
const NO_THREADS: ReadonlyMap<string, number> = new Map()
