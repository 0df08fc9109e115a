import { TriangleAlert } from 'lucide-react'
import { Fragment, memo, useEffect, useMemo, useRef, useState } from 'react'
import type { Query } from '../../api/types'
import { browserStorage } from '../../app/browser-storage'
import { reveal } from '../../app/editor-bridge'
import { useLiveOperations } from '../../app/live-operations'
import { useLiveStates } from '../../app/live-text'
import { usePredictions } from '../../app/predictions'
import { selectQuery, useCompilation, useRepeatedQuery } from '../../app/selection'
import { useThreadCounts } from '../../app/threads'
import { useView } from '../../app/url-state'
import { shortLensText } from '../../logic/lens'
import { type Grouping, matches, type QueryGroup, queryGroups, searchedText } from '../../logic/query-list'
import { formatCount } from '../../units'
import styles from './application.module.css'
import { ROW } from './rows'
import { Section } from './Section'
import { ThreadCount } from './ThreadCount'

const GROUPINGS: readonly { id: Grouping; name: string }[] = [
  { id: 'none', name: 'no groups' },
  { id: 'file', name: 'by file' },
  { id: 'class', name: 'by class' },
  { id: 'cost', name: 'by cost' },
  { id: 'live', name: 'by what is live' },
]
const KEY = 'piql:queries-by'
const NO_QUERIES: readonly Query[] = []

/** The queries of the text with their bounds and predictions, in groups; a click makes one the current query. */
export function Queries({ filter }: { filter: string }) {
  const list = useRef<HTMLUListElement>(null)
  const compilation = useCompilation()
  const { query: named } = useView()
  const repeated = useRepeatedQuery()
  const selected = repeated ? placeOf(repeated.name_range) : named
  const [grouping, setGrouping] = useState(rememberedGrouping)
  const queries = compilation?.queries ?? NO_QUERIES
  const shown = useMemo(() => queries.filter((query) => matches(searchedText(query), filter)), [queries, filter])
  const groups = useGroups(shown, grouping)
  const lastSelected = useRef(selected)
  useEffect(() => {
    // The first selection is not scrolled to: a new user looks for the files, which are above the queries.
    const isFirst = lastSelected.current === undefined
    lastSelected.current = selected
    if (!isFirst)
      list.current?.querySelector(`[data-query="${CSS.escape(selected ?? '')}"]`)?.scrollIntoView({ block: 'nearest' })
  }, [selected])
  const choose = (value: Grouping) => {
    browserStorage.setItem(KEY, value)
    setGrouping(value)
  }
  return (
    <Section
      title="Queries"
      count={compilation?.queries.length}
      shown={shown.length}
      actions={<GroupingChoice grouping={grouping} onChoose={choose} />}
    >
      <ul aria-label="Queries" ref={list}>
        {grouping === 'none' ? (
          <Rows queries={shown} />
        ) : (
          groups.map((group) => (
            <li key={group.title}>
              <span className={styles['group']}>
                {group.title} <span className={styles['sectionCount']}>{formatCount(group.queries.length)}</span>
              </span>
              <ul aria-label={group.title}>
                <Rows queries={group.queries} />
              </ul>
            </li>
          ))
        )}
        <RepeatedRows filter={filter} />
      </ul>
      {compilation && queries.length === 0 ? (
        <p className={styles['hint']}>
          No queries yet. Write <code>CREATE QUERY name AS</code> and a SELECT.
        </p>
      ) : null}
    </Section>
  )
}

function GroupingChoice({ grouping, onChoose }: { grouping: Grouping; onChoose: (grouping: Grouping) => void }) {
  return (
    <select
      className={styles['grouping']}
      aria-label="Groups of queries"
      value={grouping}
      onChange={(event) => onChoose(GROUPINGS.find(({ id }) => id === event.target.value)?.id ?? 'none')}
    >
      {GROUPINGS.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  )
}

function useGroups(queries: readonly Query[], grouping: Grouping): readonly QueryGroup<Query>[] {
  const states = useLiveStates(grouping === 'live')
  return useMemo(
    () => queryGroups(queries, grouping, (query) => states.get(query.name) ?? null),
    [queries, grouping, states],
  )
}

function Rows({ queries }: { queries: readonly Query[] }) {
  const predictions = usePredictions()
  const live = useLiveOperations()
  const { ofQuery } = useThreadCounts()
  const { query: selected } = useView()
  return queries.map((query) => (
    <QueryRow
      key={query.name}
      name={query.name}
      lens={shortLensText(query, predictions.get(query.name), live.get(query.name))}
      scalingClass={query.scaling_class}
      isBounded={query.is_bounded}
      threads={ofQuery.get(query.name) ?? 0}
      isCurrent={query.name === selected}
    />
  ))
}

/** The queries whose name an earlier one has, below the others. */
function RepeatedRows({ filter }: { filter: string }) {
  const current = useRepeatedQuery()
  const repeated = useCompilation()?.repeated ?? []
  return repeated
    .filter(({ name, range }) => matches(`${name} ${range.file} unbounded`, filter))
    .map(({ name, name_range: nameRange }) => (
      <li key={placeOf(nameRange)} className={styles['queryRow']}>
        <button
          type="button"
          className={styles['query']}
          title={`${name}, ${nameRange.file}:${nameRange.start_line}`}
          data-query={placeOf(nameRange)}
          aria-current={current !== null && placeOf(current.name_range) === placeOf(nameRange)}
          data-unbounded
          onClick={() => reveal(nameRange)}
          {...ROW}
        >
          <span className={styles['queryHead']}>
            <span className={styles['queryName']}>{name}</span>
            <ClassMark scalingClass={null} isBounded={false} />
          </span>
          <span className={styles['lens']}>line {nameRange.start_line}: its name is taken</span>
        </button>
      </li>
    ))
}

/** A name for a query that has none of its own. */
function placeOf({ file, start }: Query['range']): string {
  return `${file}:${start}`
}

interface QueryRowProps {
  name: string
  lens: string
  scalingClass: string | null
  isBounded: boolean
  /** Open threads of comments. */
  threads: number
  isCurrent: boolean
}

/** One query. It is drawn again only when what it shows has changed: there may be hundreds, and each key compiles all. */
const QueryRow = memo(function QueryRow(props: QueryRowProps) {
  const { name, lens, scalingClass, isBounded, threads, isCurrent } = props
  return (
    <li className={styles['queryRow']}>
      <button
        type="button"
        className={styles['query']}
        data-query={name}
        title={name}
        aria-current={isCurrent}
        data-unbounded={!isBounded}
        onClick={() => selectQuery(name)}
        {...ROW}
      >
        <span className={styles['queryHead']}>
          <span className={styles['queryName']}>{name}</span>
          <ThreadCount count={threads} />
          <ClassMark scalingClass={scalingClass} isBounded={isBounded} />
        </span>
        <span className={styles['lens']}>
          <LensParts text={lens} />
        </span>
      </button>
    </li>
  )
})

/** The parts of a lens; lines break only between parts. */
function LensParts({ text }: { text: string }) {
  return text.split(' · ').map((part, index) => (
    <Fragment key={part}>
      {index > 0 ? ' · ' : ''}
      <span className={styles['lensPart']}>{part}</span>
    </Fragment>
  ))
}

function ClassMark({ scalingClass, isBounded }: Pick<QueryRowProps, 'scalingClass' | 'isBounded'>) {
  if (!isBounded) return <TriangleAlert size={13} className={styles['unboundedIcon']} aria-label="Refused" />
  return scalingClass ? (
    <span className={styles['classMark']} title={`Scaling class ${scalingClass}`}>
      <span className="visually-hidden">class </span>
      {scalingClass}
    </span>
  ) : null
}

function rememberedGrouping(): Grouping {
  const value = browserStorage.getItem(KEY)
  return GROUPINGS.find(({ id }) => id === value)?.id ?? 'none'
}
