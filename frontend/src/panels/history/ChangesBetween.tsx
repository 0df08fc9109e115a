import { useQuery } from '@tanstack/react-query'
import { comparison } from '../../api/queries'
import type { SourceFile } from '../../api/types'
import { ErrorNotice } from '../../ui/Notice'
import { Changes } from '../deploy/Changes'
import styles from './history.module.css'

/** Tables, queries, indexes and bounds that differ between the texts of two saves, or of a save and of now. */
export function ChangesBetween({ before, after }: { before: readonly SourceFile[]; after: readonly SourceFile[] }) {
  const { data: changes, error } = useQuery(comparison(before, after))
  if (error) return <ErrorNotice error={error} />
  if (!changes) return <p className={styles['reading']}>Compiling both…</p>
  const tables = changes.tables.map((table) => ({ ...table, details: detailsOf(table), checked: [], refusal: null }))
  return <Changes changes={{ ...changes, tables }} columns={['Before', 'After']} />
}

/** Without the rows of a table: two texts have none. */
function detailsOf({ change, details }: { change: string; details: string[] }): string[] {
  return change === 'removed' ? [] : details
}
