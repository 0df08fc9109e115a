import { Infinity as InfinityIcon, Wrench } from 'lucide-react'
import type { Query } from '../../api/types'
import { reveal } from '../../app/editor-bridge'
import { useCompilation } from '../../app/selection'
import { Button } from '../../ui/Button'
import { Prose } from '../../ui/Prose'
import { applyFix } from '../problems/fixes'
import styles from './plan.module.css'

/**
 * For each unbounded part of a query: the sentence that says what grows with what, the compiler's fixes, and the table.
 */
export function UnboundedFindings({ query }: { query: Query }) {
  const compilation = useCompilation()
  if (query.unbounded.length === 0) return null
  const fixes = (compilation?.diagnostics ?? [])
    .filter((diagnostic) => diagnostic.query === query.name)
    .flatMap((diagnostic) => diagnostic.fixes)
  return (
    <ul className={styles['findings']} aria-label="Unbounded segments">
      {query.unbounded.map((segment) => {
        const table = compilation?.tables.find((candidate) => candidate.name === segment.table)
        const target = table?.name_range ?? segment.table_range
        return (
          <li key={`${segment.path}:${segment.sentence}`} className={styles['finding']}>
            <InfinityIcon size={16} aria-hidden />
            <div className={styles['findingBody']}>
              <p>
                <strong>unbounded</strong> <Prose text={segment.sentence} />
              </p>
              <div className={styles['findingActions']}>
                {fixes.map((fix) => (
                  <Button
                    key={fix.title}
                    size="small"
                    isWrapped
                    icon={<Wrench size={12} aria-hidden />}
                    onClick={() => void applyFix(fix)}
                  >
                    {fix.title}
                  </Button>
                ))}
                {target ? (
                  <Button size="small" look="quiet" isWrapped onClick={() => reveal(target, true)}>
                    Show table {segment.table}
                  </Button>
                ) : null}
              </div>
            </div>
          </li>
        )
      })}
    </ul>
  )
}
