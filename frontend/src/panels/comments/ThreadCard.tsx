import { Activity, FileCode2, Link2, type LucideIcon, Sigma } from 'lucide-react'
import { type KeyboardEvent, memo } from 'react'
import type { Thread } from '../../api/types'
import { copy } from '../../app/clipboard'
import { reveal } from '../../app/editor-bridge'
import { openPanel } from '../../app/panel-view'
import { selectQueryFrom } from '../../app/selection'
import { useCommenter } from '../../app/threads'
import { hrefTo, setView } from '../../app/url-state'
import { aboutText, authorText } from '../../logic/threads'
import { Badge } from '../../ui/Badge'
import { Button, IconButton } from '../../ui/Button'
import { formatDay, plural } from '../../units'
import { Answers } from './Answers'
import styles from './comments.module.css'

const ICONS: Readonly<Record<Thread['kind'], LucideIcon>> = { line: FileCode2, bound: Sigma, node: Activity }

/** One thread: what it is about and how it began; the chosen one with all that was said, and a form to answer. */
export const ThreadCard = memo(function ThreadCard({ thread, isChosen }: { thread: Thread; isChosen: boolean }) {
  const { isTeam } = useCommenter()
  const about = aboutText(thread)
  const Icon = ICONS[thread.kind]
  const body = `thread-body-${thread.number}`
  return (
    <li className={styles['thread']} data-chosen={isChosen} data-resolved={thread.resolved_at !== null}>
      <div className={styles['head']}>
        <button
          type="button"
          id={`thread-${thread.number}`}
          className={styles['title']}
          aria-expanded={isChosen}
          aria-controls={isChosen ? body : undefined}
          data-thread={thread.number}
          title={thread.path ?? about}
          onKeyDown={walk}
          onClick={() => setView({ thread: isChosen ? undefined : String(thread.number) })}
        >
          <Icon size={13} aria-hidden className={styles['icon']} />
          <span className={styles['name']}>{about}</span>
        </button>
        {thread.is_outdated ? (
          <Badge tone="warning" title={OUTDATED[thread.kind]}>
            outdated
          </Badge>
        ) : null}
        {thread.resolved_at ? (
          <Badge tone="accent">resolved{thread.resolved_by ? ` by ${thread.resolved_by}` : ''}</Badge>
        ) : null}
        {isChosen ? (
          <IconButton label={`Copy a link to thread ${thread.number}`} size="small" onClick={() => copyLink(thread)}>
            <Link2 size={13} aria-hidden />
          </IconButton>
        ) : null}
      </div>
      {isChosen ? (
        <div id={body} className={styles['body']}>
          {thread.quote?.trim() ? <code className={styles['quote']}>{thread.quote.trim()}</code> : null}
          {thread.is_outdated ? <p className={styles['soft']}>{OUTDATED[thread.kind]}</p> : <GoThere thread={thread} />}
          <Answers thread={thread} />
        </div>
      ) : (
        <p className={styles['first']}>
          <span className={styles['soft']}>
            <bdi>{authorText(thread.first.author, isTeam)}</bdi>, {formatDay(thread.made_at)}
            {thread.comments > 1 ? `, ${plural(thread.comments - 1, 'answer')}` : ''}
          </span>
          <span className={styles['glance']} dir="auto">
            {thread.first.removed_at ? 'removed' : thread.first.text}
          </span>
        </p>
      )}
    </li>
  )
})

const OUTDATED: Readonly<Record<Thread['kind'], string>> = {
  line: 'This line is in no saved file any more.',
  bound: 'This query is not in the text any more.',
  node: 'The plan has no such node any more.',
}

function GoThere({ thread }: { thread: Thread }) {
  const names = { line: 'Go to the line', bound: 'Show the bound', node: 'Show the node' }
  return (
    <div>
      <Button size="small" onClick={() => goTo(thread)}>
        {names[thread.kind]}
      </Button>
    </div>
  )
}

function goTo({ kind, path, line, query, node }: Thread): void {
  if (kind === 'line') {
    if (path && line) reveal({ file: path, start_line: line, start_column: 1, end_line: line, end_column: 1 }, true)
  } else if (query) {
    selectQueryFrom(query, {})
    openPanel(kind === 'node' ? 'plan' : 'bounds')
    if (node) setView({ node })
  }
}

function copyLink({ number, path, query }: Thread): void {
  const href = hrefTo({
    page: 'workbench',
    panel: 'comments',
    thread: String(number),
    ...(path ? { file: path } : {}),
    ...(query ? { query } : {}),
  })
  void copy(new URL(href, location.href).href, 'the link')
}

/** Arrow keys walk along the heads of threads. */
function walk(event: KeyboardEvent<HTMLElement>): void {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
  const heads = [...(event.currentTarget.closest('ol')?.querySelectorAll<HTMLElement>('[data-thread]') ?? [])]
  const next = step === 0 ? undefined : heads[heads.indexOf(event.currentTarget) + step]
  if (!next) return
  event.preventDefault()
  next.focus()
}
