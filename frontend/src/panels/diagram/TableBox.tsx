import { Columns3, Hash, KeyRound, Layers2, List, Table2 } from 'lucide-react'
import type { CSSProperties, MouseEvent } from 'react'
import { isCrowded, nameSize } from '../../logic/diagram-heads'
import { HEAD, LINE, PAD, type PlacedBox } from '../../logic/diagram-links'
import type { Box, Line, Step } from '../../logic/schema-diagram'
import type { TextRange } from '../../logic/shapes'
import styles from './diagram.module.css'
import { StepNumber } from './Steps'

interface TableBoxProps {
  placed: PlacedBox
  /** Whether the query does not use the table. */
  isFaded: boolean
  /** Whether Tab reaches it. */
  isFocusable: boolean
  onOpen: (range: TextRange, isFocused: boolean) => void
  /** Asks for another number of stripes of the view. */
  onStripes: () => void
}

/**
 * The box of a table: its name with the numbers of steps, its columns, limits and indexes; a click shows the text of
 * each.
 */
export function TableBox({ placed, isFaded, isFocusable, onOpen, onStripes }: TableBoxProps) {
  const { box, width, height } = placed
  const Icon = box.isView ? Layers2 : Table2
  return (
    <div
      className={styles['box']}
      data-faded={isFaded}
      data-read={box.steps.length > 0}
      data-unbounded={box.isUnbounded}
      style={{ width, height, '--far-size': `${nameSize(box, width)}px` } as CSSProperties}
    >
      <button
        type="button"
        className={styles['head']}
        data-table={box.name}
        data-crowded={isCrowded(box, width)}
        tabIndex={isFocusable ? 0 : -1}
        style={{ height: HEAD }}
        onClick={(event) => box.range && onOpen(box.range, event.detail === 0)}
      >
        <Icon size={13} aria-hidden />
        <span className={styles['name']} title={box.name}>
          {box.name}
        </span>
        {box.steps.map((step) => (
          <StepBadge key={step.number} step={step} />
        ))}
      </button>
      {box.lines.length > 0 ? <Lines box={box} onOpen={onOpen} onStripes={onStripes} /> : null}
    </div>
  )
}

function Lines({ box, onOpen, onStripes }: { box: Box } & Pick<TableBoxProps, 'onOpen' | 'onStripes'>) {
  const openLine = (event: MouseEvent) => {
    const id = event.target instanceof Element ? event.target.closest('[data-line]')?.getAttribute('data-line') : null
    const line = box.lines.find((candidate) => candidate.id === id)
    if (line?.kind === 'stripes') onStripes()
    else if (line?.range) onOpen(line.range, false)
  }
  return (
    // Only for the pointer: the table view has a button for each line.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-noninteractive-element-interactions
    <ul
      className={styles['lines']}
      style={{ paddingBlock: PAD }}
      aria-label={`Parts of ${box.name}`}
      onClick={openLine}
    >
      {box.lines.map((line) => (
        <li
          key={line.id}
          className={styles['line']}
          style={{ height: LINE }}
          data-line={line.id}
          data-kind={line.kind}
          data-key={line.isKey}
          data-read={line.steps.length > 0}
          data-link={line.range !== null || line.kind === 'stripes'}
          title={line.title}
        >
          <LineIcon line={line} />
          <span className={styles['lineName']}>{line.name}</span>
          <span className={styles['detail']}>{line.detail}</span>
        </li>
      ))}
    </ul>
  )
}

/** The number of a step at this table and its bound, such as `≤ 100 ops`. */
function StepBadge({ step }: { step: Step }) {
  return (
    <span className={styles['badge']} data-unbounded={step.isUnbounded}>
      <span className="visually-hidden">, </span>
      <StepNumber step={step} />
      {step.text ? <span className={styles['badgeText']}> {step.text}</span> : null}
    </span>
  )
}

function LineIcon({ line }: { line: Line }) {
  if (line.isKey) return <KeyRound size={11} aria-hidden />
  if (line.kind === 'limit' || line.kind === 'unique') return <Hash size={11} aria-hidden />
  if (line.kind === 'stripes') return <Columns3 size={11} aria-hidden />
  if (line.kind === 'index') return <List size={11} aria-hidden />
  return <span className={styles['noIcon']} />
}
