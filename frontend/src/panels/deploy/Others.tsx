import type { Preview } from '../../api/types'
import { Badge, type Tone } from '../../ui/Badge'
import styles from './deploy.module.css'

interface OthersProps {
  /** What happens to the queries: `replaces` or `stays live`. */
  word: string
  tone: Tone
  queries: Preview['kept']
  /** What to agree to, such as `Remove them`. */
  question: string
  isAgreed: boolean
  onAgree: (isAgreed: boolean) => void
}

/** Live queries that were deployed from elsewhere, and a checkbox: they are replaced or removed only if it is ticked. */
export function Others({ word, tone, queries, question, isAgreed, onAgree }: OthersProps) {
  if (queries.length === 0) return null
  const names = [...new Set(queries.map((query) => query.deployed_by))].join(', ')
  return (
    <section aria-label={`Queries of others: ${word}`}>
      <ul className={styles['changes']}>
        {queries.map(({ query, deployed_by }) => (
          <li key={query} className={styles['change']}>
            <Badge tone={tone}>{word}</Badge>
            <span>
              <code>{query}</code>, deployed by {deployed_by}
            </span>
          </li>
        ))}
      </ul>
      <label className={styles['agree']}>
        <input type="checkbox" checked={isAgreed} onChange={(event) => onAgree(event.target.checked)} />
        {question}, although {names} deployed them
      </label>
    </section>
  )
}
