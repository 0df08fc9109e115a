import { Fragment } from 'react'
import type { Box, Diagram, Line } from '../../logic/schema-diagram'
import type { TextRange } from '../../logic/shapes'
import { Cell, Table } from '../../ui/Table'
import styles from './diagram.module.css'

interface DiagramTableProps {
  diagram: Diagram
  query: string | undefined
  onOpen: (range: TextRange, isFocused: boolean) => void
  /** Asks for another number of stripes of a view. */
  onStripes: (view: string) => void
}

/** The diagram as a table: a row for each table, then one for each of its columns, limits and indexes. */
export function DiagramTable({ diagram, query, onOpen, onStripes }: DiagramTableProps) {
  return (
    <Table label="Tables of the schema" columns={['Table', 'Part', 'What it says', query ? `In ${query}` : 'Steps']}>
      {diagram.boxes.map((box) => (
        <Fragment key={box.name}>
          <TableRow box={box} onOpen={onOpen} />
          {box.lines.map((line) => (
            <LineRow key={line.id} box={box} line={line} onOpen={onOpen} onStripes={onStripes} />
          ))}
        </Fragment>
      ))}
    </Table>
  )
}

function TableRow({ box, onOpen }: { box: Box; onOpen: DiagramTableProps['onOpen'] }) {
  return (
    <tr className={styles['rowOfTable']}>
      <Cell>
        <Opener text={box.name} range={box.range} onOpen={onOpen} />
      </Cell>
      <Cell>{box.isView ? 'view' : 'table'}</Cell>
      <Cell />
      <Cell>
        <StepTexts steps={box.steps} />
      </Cell>
    </tr>
  )
}

interface LineRowProps extends Pick<DiagramTableProps, 'onOpen' | 'onStripes'> {
  box: Box
  line: Line
}

function LineRow({ box, line, onOpen, onStripes }: LineRowProps) {
  return (
    <tr>
      <Cell>
        <span className="visually-hidden">{box.name}</span>
      </Cell>
      <Cell>{PARTS[line.kind]}</Cell>
      <Cell>
        {line.kind === 'stripes' ? (
          <button type="button" className={styles['opener']} onClick={() => onStripes(box.name)}>
            {line.name}: {line.detail}
          </button>
        ) : (
          <Opener text={line.title} range={line.range} onOpen={onOpen} />
        )}
      </Cell>
      <Cell>
        <StepTexts steps={line.steps} />
      </Cell>
    </tr>
  )
}

const PARTS: Readonly<Record<Line['kind'], string>> = {
  column: 'column',
  unique: 'unique key',
  limit: 'limit',
  index: 'index',
  stripes: 'stripes',
}

function StepTexts({ steps }: { steps: Box['steps'] }) {
  return <>{steps.map((step) => `step ${step.number}${step.longText ? `: ${step.longText}` : ''}`).join('; ') || '–'}</>
}

interface OpenerProps {
  text: string
  range: TextRange | null
  onOpen: DiagramTableProps['onOpen']
}

/** A button that shows the text of a part; a derived index is in no text and has only its name. */
function Opener({ text, range, onOpen }: OpenerProps) {
  if (!range) return <>{text}</>
  return (
    <button type="button" className={styles['opener']} onClick={() => onOpen(range, true)}>
      {text}
    </button>
  )
}
