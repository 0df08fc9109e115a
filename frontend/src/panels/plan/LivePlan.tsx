import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { compilationOf } from '../../api/queries'
import type { Query, Stage } from '../../api/types'
import { useLiveFiles } from '../../app/live-text'
import { useView } from '../../app/url-state'
import { PlanTree } from '../../charts/PlanTree'
import { planDifference } from '../../logic/plan-difference'
import { changedNodes } from '../../logic/plan-tree'
import { EmptyState } from '../../ui/EmptyState'
import { ErrorNotice } from '../../ui/Notice'
import { PlanTable } from './PlanTable'
import styles from './plan.module.css'

/** The same stage of the same query as it is live, and in a sentence how the text's plan differs from it. */
export function LivePlan({ query, stage }: { query: Query; stage: Stage }) {
  const live = useLiveFiles()
  const { data, error } = useQuery({ ...compilationOf(live?.files ?? [], query.name), enabled: live !== null })
  const liveQuery = data?.queries.find(({ name }) => name === query.name)
  const liveStage = liveQuery?.stages.find(({ name }) => name === stage.name)
  return (
    <section className={styles['side']} aria-label="Live plan">
      {error ? <ErrorNotice error={error} /> : null}
      {!live ? (
        <EmptyState title="Nothing is live yet">Once a version is deployed, its plan stands here.</EmptyState>
      ) : liveQuery && liveStage ? (
        <>
          <p className={styles['sideHead']} role="status" aria-label="Difference from the live plan">
            <strong>Live, version {live.version}</strong>
            {planDifference({ plan: liveStage.plan, bound: liveQuery.bound }, { plan: stage.plan, bound: query.bound })}
          </p>
          <div className={styles['drawing']}>
            <LiveStage name={query.name} stage={liveStage} other={stage} />
          </div>
        </>
      ) : data ? (
        <EmptyState title={`${query.name} is not live`}>
          {liveQuery
            ? `Its live plan has no stage ${stage.name}.`
            : `Version ${live.version} has no query of this name.`}
        </EmptyState>
      ) : (
        <EmptyState title="Compiling what is live…" />
      )}
    </section>
  )
}

/** One stage of the live plan; nodes that the other plan has not are marked. */
function LiveStage({ name, stage, other }: { name: string; stage: Stage; other: Stage }) {
  const { as, metric = 'operations' } = useView()
  const changed = useMemo(() => changedNodes(other.plan, stage.plan), [other, stage])
  if (as === 'table') return <PlanTable plan={stage.plan} selected={undefined} onSelect={nothing} />
  return (
    <PlanTree
      plan={stage.plan}
      label={`Live plan of ${name}, ${stage.name}`}
      subject={`live/${name}/${stage.name}`}
      selected={undefined}
      followed={undefined}
      changed={changed}
      metric={metric}
      latencies={NO_LATENCIES}
      onSelect={nothing}
    />
  )
}

const NO_LATENCIES: ReadonlyMap<string, number> = new Map()

function nothing(): void {
  // What is live has no place in the text of now.
}
