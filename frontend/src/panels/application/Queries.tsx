import { TriangleAlert } from 'lucide-react'
import { Fragment, useEffect, useRef } from 'react'
import type { Query } from '../../api/types'
import { useLiveOperations } from '../../app/live-operations'
import { usePredictions } from '../../app/predictions'
import { selectQuery, useCompilation } from '../../app/selection'
import { useView } from '../../app/url-state'
import { shortLensText } from '../../logic/lens'
import styles from './application.module.css'
import { Section } from './Section'

/** The queries of the text with their bounds and predictions; a click makes one the current query. */
export function Queries() {
  const list = useRef<HTMLUListElement>(null)
  const compilation = useCompilation()
  const predictions = usePredictions()
  const live = useLiveOperations()
  const { query: selected } = useView()
  const queries = compilation?.queries ?? []
  const lastSelected = useRef(selected)
  useEffect(() => {
    // The first selection is not scrolled to: a new user looks for the files, which are above the queries.
    const isFirst = lastSelected.current === undefined
    lastSelected.current = selected
    if (!isFirst)
      list.current?.querySelector(`[data-query="${CSS.escape(selected ?? '')}"]`)?.scrollIntoView({ block: 'nearest' })
  }, [selected])
  return (
    <Section title="Queries" count={queries.length}>
      <ul aria-label="Queries" ref={list}>
        {queries.map((query) => (
          <li key={query.name}>
            <button
              type="button"
              className={styles['query']}
              data-query={query.name}
              title={query.name}
              aria-current={query.name === selected}
              data-unbounded={!query.is_bounded}
              onClick={() => selectQuery(query.name)}
            >
              <span className={styles['queryHead']}>
                <span className={styles['queryName']}>{query.name}</span>
                <ClassMark query={query} />
              </span>
              <span className={styles['lens']}>
                <LensParts text={shortLensText(query, predictions.get(query.name), live.get(query.name))} />
              </span>
            </button>
          </li>
        ))}
      </ul>
      {compilation && queries.length === 0 ? (
        <p className={styles['hint']}>
          No queries yet. Write <code>CREATE QUERY name AS</code> and a SELECT.
        </p>
      ) : null}
    </Section>
  )
}

/** The parts of a lens; lines break only between parts. */
function LensParts({ text }: { text: string }) {
  return text.split(' · ').map((part, index) => (
    <Fragment key={part}>
      {index > 0 ? ' · ' : ''}
      <span className={styles['lensPart']}>{part}</span>
    </Fragment>
  ))
}

function ClassMark({ query }: { query: Query }) {
  if (!query.is_bounded) return <TriangleAlert size={13} className={styles['unboundedIcon']} aria-label="Refused" />
  return query.scaling_class ? (
    <span className={styles['classMark']} title={`Scaling class ${query.scaling_class}`}>
      <span className="visually-hidden">class </span>
      {query.scaling_class}
    </span>
  ) : null
}
