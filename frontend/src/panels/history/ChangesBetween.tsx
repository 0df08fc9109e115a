import { useQuery } from '@tanstack/react-query'
import { comparison } from '../../api/queries'
import type { Prediction } from '../../api/types'
import { ErrorNotice } from '../../ui/Notice'
import { Changes } from '../deploy/Changes'
import styles from './history.module.css'
import { type Side, useSidePredictions } from './side'

/** Tables, queries, indexes, bounds and predicted p99 that differ between two saves, or between a save and now. */
export function ChangesBetween({ before, after }: { before: Side; after: Side }) {
  const { data: changes, error } = useQuery(comparison(before.files, after.files))
  const bounds = changes?.bounds_changed ?? []
  const predictedBefore = useSidePredictions(before, namesOf(bounds, 'before'))
  const predictedAfter = useSidePredictions(after, namesOf(bounds, 'after'))
  if (error) return <ErrorNotice error={error} />
  if (!changes) return <p className={styles['reading']}>Compiling both…</p>
  const tables = changes.tables.map((table) => ({ ...table, details: detailsOf(table), checked: [], refusal: null }))
  return (
    <Changes
      changes={{ ...changes, tables }}
      columns={['Before', 'After']}
      p99Before={p99Of(predictedBefore)}
      p99After={p99Of(predictedAfter)}
    />
  )
}

/** Without the rows of a table: two texts have none. */
function detailsOf({ change, details }: { change: string; details: string[] }): string[] {
  return change === 'removed' ? [] : details
}

/** The queries that have a bound on one side. */
function namesOf<S extends 'before' | 'after'>(
  bounds: readonly ({ query: string } & Record<S, object | null>)[],
  side: S,
): string[] {
  return bounds.flatMap((bound) => (bound[side] === null ? [] : [bound.query]))
}

function p99Of(predictions: ReadonlyMap<string, Prediction>): ReadonlyMap<string, number | null> {
  return new Map([...predictions].map(([name, { typical_p99_ms }]) => [name, typical_p99_ms]))
}
