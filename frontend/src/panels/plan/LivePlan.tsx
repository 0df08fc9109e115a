import { useQuery } from '@tanstack/react-query'
import { compilationOf } from '../../api/queries'
import type { Query, Stage } from '../../api/types'
import { useLiveFiles } from '../../app/live-text'
import { planDifference } from '../../logic/plan-difference'
import { EmptyState } from '../../ui/EmptyState'
import { ErrorNotice } from '../../ui/Notice'
import styles from './plan.module.css'
import { StageBeside } from './StageBeside'

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
        <EmptyState title="Nothing is live yet">Once a version is deployed, its plan is shown here.</EmptyState>
      ) : liveQuery && liveStage ? (
        <>
          <p className={styles['sideHead']} role="status" aria-label="Difference from the live plan">
            <strong>Live, version {live.version}</strong>
            {planDifference({ plan: liveStage.plan, bound: liveQuery.bound }, { plan: stage.plan, bound: query.bound })}
          </p>
          <div className={styles['drawing']}>
            <StageBeside
              label={`Live plan of ${query.name}, ${stage.name}`}
              subject={`live/${query.name}/${stage.name}`}
              stage={liveStage}
              beside={stage}
            />
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
