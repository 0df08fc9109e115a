import { useQuery } from '@tanstack/react-query'
import { MessageSquare } from 'lucide-react'
import { useEffect, useMemo, useState } from 'react'
import { threads } from '../../api/thread-queries'
import { reveal } from '../../app/editor-bridge'
import { useCompilation } from '../../app/selection'
import { useNewThread, useThreads } from '../../app/threads'
import { setView, useView } from '../../app/url-state'
import { listedThreads, type ThreadFilter } from '../../logic/threads'
import { Button } from '../../ui/Button'
import { EmptyState } from '../../ui/EmptyState'
import { ErrorNotice } from '../../ui/Notice'
import { Switch } from '../../ui/Switch'
import { Spacer, Toolbar } from '../../ui/Table'
import { plural } from '../../units'
import styles from './comments.module.css'
import { NewThread } from './NewThread'
import { ThreadCard } from './ThreadCard'

const STATES = [
  { value: 'open', label: 'Open' },
  { value: 'resolved', label: 'Resolved' },
  { value: 'all', label: 'All' },
] as const
const AT_ONCE = 50

/** What people say about lines, bounds and nodes of plans: the threads that a filter leaves, and a form for the next. */
export default function CommentsPanel() {
  const view = useView()
  const { data, error } = useQuery(threads(view.application))
  const filter = useFilter()
  const all = useThreads()
  const chosen = Number(view.thread) || null
  const listed = useMemo(() => listedThreads(all, filter, chosen), [all, filter, chosen])
  const [most, setMost] = useState(AT_ONCE)
  const hasDraft = useNewThread(({ anchor }) => anchor !== null)
  useRevealedLine(chosen)
  const isCut = listed.length > most
  const shown = isCut ? listed.filter(({ number }, index) => index < most || number === chosen) : listed
  return (
    <div className={styles['panel']}>
      <Toolbar label="Comments">
        <Switch
          label="Which comments"
          value={filter.state}
          options={STATES}
          onChange={(state) => setView({ threads: state === 'open' ? undefined : state })}
        />
        <Button
          size="small"
          aria-pressed={filter.file !== null}
          onClick={() => setView({ threadsOf: filter.file ? undefined : 'file' })}
        >
          This file
        </Button>
        <Spacer />
        <span className={styles['soft']} role="status">
          {data ? plural(listed.length, 'thread') : ''}
        </span>
      </Toolbar>
      <NewThread />
      {error ? <ErrorNotice error={error} /> : null}
      {data && chosen !== null && !data.byNumber.has(chosen) ? (
        <p className={styles['none']}>There is no thread {chosen} in this application.</p>
      ) : null}
      {data && listed.length === 0 && !hasDraft ? <Nothing filter={filter} /> : null}
      <ol className={styles['threads']} aria-label="Threads">
        {shown.map((thread) => (
          <ThreadCard key={thread.number} thread={thread} isChosen={thread.number === chosen} />
        ))}
      </ol>
      {isCut ? (
        <Button className={styles['more']} onClick={() => setMost(most + AT_ONCE)}>
          Show {plural(Math.min(AT_ONCE, listed.length - most), 'more thread', 'more threads')}
        </Button>
      ) : null}
    </div>
  )
}

/** The filter of the address. */
function useFilter(): ThreadFilter {
  const { threads: state, threadsOf, file } = useView()
  const queries = useCompilation()?.queries
  return useMemo(
    () => ({
      state: STATES.find(({ value }) => value === state)?.value ?? 'open',
      file:
        threadsOf === 'file' && file
          ? {
              path: file,
              queries: new Set(queries?.filter(({ range }) => range.file === file).map(({ name }) => name)),
            }
          : null,
    }),
    [state, threadsOf, file, queries],
  )
}

/** Shows the line of a thread in the editor when it is chosen, as by a link. */
function useRevealedLine(chosen: number | null): void {
  const known = useThreads()
  const thread = known.find(({ number }) => number === chosen)
  const { path = null, line = null, is_outdated: isOutdated = false } = thread ?? {}
  const isKnown = thread !== undefined
  useEffect(() => {
    if (!isKnown || path === null || line === null || isOutdated) return
    reveal({ file: path, start_line: line, start_column: 1, end_line: line, end_column: 1 })
    // Only when another one is chosen: a line that moves while somebody types is not run after.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [chosen, isKnown])
}

function Nothing({ filter }: { filter: ThreadFilter }) {
  const which = filter.state === 'all' ? '' : `${filter.state} `
  return (
    <EmptyState
      icon={<MessageSquare size={22} aria-hidden />}
      title={`No ${which}comments${filter.file ? ' about this file' : ''}`}
    >
      Comment on the line at the caret with Ctrl Alt M, on a bound in Bounds, and on a node in Plan.
    </EmptyState>
  )
}
