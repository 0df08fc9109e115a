import { CircleAlert, CircleCheck, Copy, Info, TriangleAlert, Wrench, X } from 'lucide-react'
import { useMemo, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import type { Diagnostic, Fix } from '../../api/types'
import { copy } from '../../app/clipboard'
import { reveal } from '../../app/editor-bridge'
import { closeProblems, DRAWER } from '../../app/problems-drawer'
import { region } from '../../app/regions'
import { revealOf, useCompilation } from '../../app/selection'
import { useShownAnswer } from '../../app/shown-compilation'
import { ViewLink } from '../../app/ViewLink'
import { useDocuments } from '../../documents/documents'
import { gravestFirst } from '../../logic/problem-order'
import { problemText } from '../../logic/problem-text'
import { Button, IconButton } from '../../ui/Button'
import { EmptyState } from '../../ui/EmptyState'
import { Notice } from '../../ui/Notice'
import { Prose } from '../../ui/Prose'
import { Allow } from './Allow'
import { copyProblems } from './copy'
import { applyFix } from './fixes'
import styles from './problems.module.css'

const ICONS = { error: CircleAlert, warning: TriangleAlert, info: Info }

/** The drawer below the editor: what the compiler reports about the text. */
export function ProblemsDrawer() {
  const reported = useCompilation()?.diagnostics.length ?? 0
  return (
    <section id={DRAWER} className={styles['drawer']} {...region('Problems')}>
      <div className={styles['head']}>
        <h2 className={styles['title']}>Problems</h2>
        {reported > 1 ? (
          <Button size="small" look="quiet" icon={<Copy size={12} aria-hidden />} onClick={copyProblems}>
            Copy all {reported}
          </Button>
        ) : null}
        <IconButton label="Close the problems" size="small" onClick={closeProblems}>
          <X size={14} aria-hidden />
        </IconButton>
      </div>
      {/* A region that scrolls can be reached by the keyboard. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <div className={styles['scrolls']} tabIndex={0} role="group" aria-label="Problems, scrollable">
        <Problems />
      </div>
    </section>
  )
}

function Problems() {
  const { compilation, error } = useShownAnswer()
  if (error) {
    return (
      <>
        <div className={styles['error']}>
          <Notice tone="danger" role="alert" help={error}>
            The text as it is now could not be compiled; what is shown is of the text before. Trying again…
          </Notice>
        </div>
        {compilation ? <DiagnosticList diagnostics={compilation.diagnostics} label="Problems" /> : null}
      </>
    )
  }
  if (!compilation) return <EmptyState title="Compiling…" />
  if (compilation.diagnostics.length === 0) {
    return (
      <EmptyState icon={<CircleCheck size={22} aria-hidden />} title="No problems">
        {compilation.queries.length === 0 ? null : 'Every query has a bound that the schema proves.'}
      </EmptyState>
    )
  }
  return <DiagnosticList diagnostics={compilation.diagnostics} label="Problems" />
}

/** So many problems are drawn at first: one change of a limit can give each of hundreds of queries one. */
const AT_FIRST = 30

/** Diagnostics, the gravest first; each leads to its range in the text and offers its fixes. */
export function DiagnosticList({ diagnostics, label }: { diagnostics: readonly Diagnostic[]; label: string }) {
  const compilation = useCompilation()
  const list = useRef<HTMLUListElement>(null)
  const [isWhole, setIsWhole] = useState(false)
  const sorted = gravestFirst(diagnostics, compilation?.queries ?? [])
  const showRest = () => {
    flushSync(() => setIsWhole(true))
    list.current?.children[AT_FIRST]?.querySelector('button')?.focus() // the button that had the focus is gone
  }
  const drawn = isWhole ? sorted : sorted.slice(0, AT_FIRST)
  return (
    <>
      <ul className={styles['list']} aria-label={label} ref={list}>
        {drawn.map((diagnostic, index) => (
          <li key={`${diagnostic.code}:${diagnostic.range.file}:${diagnostic.range.start}:${index}`}>
            <Problem diagnostic={diagnostic} />
          </li>
        ))}
      </ul>
      {drawn.length < sorted.length ? (
        <p className={styles['rest']}>
          <Button size="small" onClick={showRest}>
            Show the other {sorted.length - drawn.length}
          </Button>
        </p>
      ) : null}
    </>
  )
}

function Problem({ diagnostic }: { diagnostic: Diagnostic }) {
  const Icon = ICONS[diagnostic.severity]
  const { file, start_line, start_column } = diagnostic.range
  return (
    <div className={styles['problem']} data-severity={diagnostic.severity}>
      <Icon size={15} className={styles['icon']} aria-label={diagnostic.severity} />
      <div className={styles['body']}>
        <button
          type="button"
          className={styles['message']}
          onClick={() => revealOf(diagnostic.query, diagnostic.range)}
        >
          <Prose text={diagnostic.message} />
        </button>
        <p className={styles['meta']}>
          {diagnostic.query ? <span className={styles['query']}>{diagnostic.query}</span> : null}
          <span className="numeric">
            {file}:{start_line}:{start_column}
          </span>
          <ViewLink to={{ code: diagnostic.code }} className={styles['code']} title={`What ${diagnostic.code} means`}>
            {diagnostic.code}
          </ViewLink>
        </p>
        {diagnostic.allowed ? <p className={styles['help']}>Allowed: {diagnostic.allowed}</p> : null}
        {diagnostic.allowed
          ? null
          : diagnostic.help.map((help) => (
              <p key={help} className={styles['help']}>
                <Prose text={help} />
              </p>
            ))}
        {diagnostic.labels.map((label) => (
          <p key={`${label.range.file}:${label.range.start}:${label.text}`} className={styles['help']}>
            <button type="button" className={styles['place']} onClick={() => reveal(label.range, true)}>
              {label.range.file}:{label.range.start_line}
            </button>{' '}
            <Prose text={label.text} />
          </p>
        ))}
        {diagnostic.fixes.length > 0 ? (
          <div className={styles['fixes']}>
            {diagnostic.fixes.map((fix) => (
              <FixButton key={fix.title} fix={fix} />
            ))}
          </div>
        ) : null}
        {diagnostic.allow ? <Allow code={diagnostic.code} comment={diagnostic.allow} /> : null}
      </div>
      <IconButton
        className={styles['copy']}
        label="Copy this problem as text"
        size="small"
        onClick={() => void copy(problemText(diagnostic), 'the problem')}
      >
        <Copy size={13} aria-hidden />
      </IconButton>
    </div>
  )
}

function FixButton({ fix }: { fix: Fix }) {
  return (
    <span className={styles['fix']}>
      <Button size="small" isWrapped icon={<Wrench size={12} aria-hidden />} onClick={() => void applyFix(fix)}>
        {fix.title}
      </Button>
      <span className={styles['unblocks']}>
        {[fix.unblocks.length > 0 ? `also unblocks ${fix.unblocks.join(', ')}` : '', fix.consequence, fix.cost]
          .filter(Boolean)
          .join('; ')}
      </span>
    </span>
  )
}

interface ProblemCount {
  errors: number
  warnings: number
  hints: number
}

/** The problems of all files. */
export function useProblemCount(): ProblemCount {
  const compilation = useCompilation()
  return count(compilation?.diagnostics ?? [])
}

/** The problems of each file that has any, by its path. */
export function useProblemsByFile(): ReadonlyMap<string, ProblemCount> {
  const diagnostics = useCompilation()?.diagnostics
  const isKnown = useDocuments((state) => state.application !== null)
  return useMemo(() => {
    const byFile = new Map<string, Diagnostic[]>()
    for (const diagnostic of isKnown ? (diagnostics ?? []) : []) {
      const { file } = diagnostic.range
      byFile.set(file, [...(byFile.get(file) ?? []), diagnostic])
    }
    return new Map([...byFile].map(([file, reported]) => [file, count(reported)]))
  }, [diagnostics, isKnown])
}

function count(diagnostics: readonly Diagnostic[]): ProblemCount {
  return {
    errors: diagnostics.filter((diagnostic) => diagnostic.severity === 'error').length,
    warnings: diagnostics.filter((diagnostic) => diagnostic.severity === 'warning').length,
    hints: diagnostics.filter((diagnostic) => diagnostic.severity === 'info').length,
  }
}
