import { Sigma } from 'lucide-react'
import { Fragment } from 'react'
import type { Bound, NoPrediction, Query } from '../../api/types'
import { reveal } from '../../app/editor-bridge'
import { requestGridWith } from '../../app/grid-request'
import { NoQuery } from '../../app/NoQuery'
import { useLacks, usePredictions } from '../../app/predictions'
import { useCompilation, useSelectedQuery } from '../../app/selection'
import { setView } from '../../app/url-state'
import { estimateText, worstText } from '../../logic/estimate'
import { formulaParts, formulaWithValues } from '../../logic/lens'
import { Badge } from '../../ui/Badge'
import { EmptyState } from '../../ui/EmptyState'
import { Cell, numeric, Table } from '../../ui/Table'
import { formatBytes, formatCount } from '../../units'
import { CommentButtons } from '../comments/CommentButtons'
import { UnboundedFindings } from '../plan/UnboundedFindings'
import styles from './bounds.module.css'
import { PriceFacts } from './PriceFacts'

/** The scaling classes of the PIQL paper, in words. */
const CLASSES: Readonly<Record<string, string>> = {
  I: 'constant: the same work however large the data grows',
  II: 'bounded by a cardinality limit: grows with the limit, not with the data',
  III: 'grows with the data',
  IV: 'grows faster than the data',
}

/** Explains the bound of the current query: its formula, what proves each symbol of it, and what each operator adds. */
export default function BoundsPanel() {
  const query = useSelectedQuery()
  if (!query) {
    return (
      <NoQuery icon={<Sigma size={22} aria-hidden />}>Choose a query on the left to see what proves its bound.</NoQuery>
    )
  }
  return (
    <div className={styles['panel']}>
      <Headline query={query} />
      <UnboundedFindings query={query} />
      {query.bound ? (
        <Explanation query={query} bound={query.bound} />
      ) : query.unbounded.length === 0 ? (
        <EmptyState title={`${query.name} has no bound yet`}>
          The problems say what keeps it from being planned.
        </EmptyState>
      ) : null}
    </div>
  )
}

function Headline({ query }: { query: Query }) {
  return (
    <div className={styles['headline']}>
      <div className={styles['titleRow']}>
        <h2 className={styles['name']}>{query.name}</h2>
        <CommentButtons anchor={{ kind: 'bound', query: query.name }} />
      </div>
      {query.scaling_class ? (
        <p className={styles['class']}>
          <Badge tone={query.is_bounded ? 'accent' : 'danger'}>class {query.scaling_class}</Badge>{' '}
          {CLASSES[query.scaling_class]}
        </p>
      ) : null}
    </div>
  )
}

/** The formula, all numbers of the bound, what proves it, and the operators. */
function Explanation({ query, bound }: { query: Query; bound: Bound }) {
  const prediction = usePredictions().get(query.name)
  const lack = useLacks().get(query.name)
  return (
    <>
      <section className={styles['formula']} aria-label="Operations">
        <p className={styles['sum']}>
          <span className={styles['total']}>≤ {formatCount(bound.operations)}</span>{' '}
          {bound.operations === 1 ? 'operation' : 'operations'}
        </p>
        <Formula formula={bound.formula} bound={bound} />
      </section>
      <dl className={styles['facts']}>
        <Fact name="Round trips" value={formatCount(bound.round_trips)} />
        {query.kind === 'select' ? (
          <Fact
            name="Rows returned"
            value={`≤ ${formatCount(bound.rows)}`}
            detail={<Formula formula={bound.rows_formula} bound={bound} isSmall />}
          />
        ) : null}
        <Fact name="Rows fetched" value={`≤ ${formatCount(bound.rows_fetched)}`} />
        <Fact
          name="Bytes"
          value={`≤ ${formatBytes(bound.bytes)}`}
          detail={query.unsized.length > 0 ? <Assumed columns={query.unsized} /> : null}
        />
        {query.kind === 'select' ? null : (
          <>
            <Fact name="Puts" value={formatCount(bound.puts)} />
            <Fact name="Deletes" value={formatCount(bound.deletes)} />
            <Fact name="Reads" value={formatCount(bound.reads)} />
            <Fact name="Counts" value={formatCount(bound.counts)} />
          </>
        )}
        {prediction ? (
          <Fact
            isWide
            name="Predicted p99"
            value={estimateText(prediction)}
            detail={worstText(prediction.p99_ms, prediction.p99_by_interval_ms.length)}
          />
        ) : null}
        {lack ? <Fact name="Predicted p99" value="not measured" detail={<Lack lack={lack} />} /> : null}
      </dl>
      <Freshness query={query} />
      <Acknowledgement query={query} />
      <PriceFacts query={query.name} />
      {bound.terms.length > 0 ? <Terms bound={bound} /> : null}
      <Operators query={query} bound={bound} />
    </>
  )
}

/** How fresh the rows are, where the text says it by WITH READ; the bound is the same at each level. */
function Freshness({ query: { read } }: { query: Query }) {
  if (!read) return null
  return (
    <section className={styles['section']} aria-label="What may be seen">
      <h3 className={styles['heading']}>
        Reads <code>{read.level.toUpperCase()}</code>
      </h3>
      <p>
        {read.asks} The number of requests is the same. {read.sees}
      </p>
      <p className={styles['basis']}>
        A store with one copy of each row, such as a file or a bucket, shows every acknowledged write at each level. A
        predicted p99 is for the level at which the store was profiled.
      </p>
    </section>
  )
}

/** What acknowledges a write, where the text says it by WITH WRITE; bound and price are the same at each level. */
function Acknowledgement({ query: { write } }: { query: Query }) {
  if (!write) return null
  return (
    <section className={styles['section']} aria-label="What acknowledges it">
      <h3 className={styles['heading']}>
        Acknowledged by <code>{write.level.toUpperCase()}</code>
      </h3>
      <p>
        {write.asks} {write.sees}
      </p>
      <p className={styles['basis']}>
        The number of requests is the same at each level, and so is a price from the bound. A store with one copy of
        each row, such as a file or a bucket, makes no difference between the levels.
      </p>
    </section>
  )
}

/** What the bytes assume, with links to the columns that have no length. */
function Assumed({ columns }: { columns: Query['unsized'] }) {
  const tables = useCompilation()?.tables
  return (
    <>
      if no value of{' '}
      {columns.map(({ table, column }, index) => {
        const declared = tables?.find(({ name }) => name === table)?.columns.find(({ name }) => name === column)
        const range = declared?.range
        return (
          <Fragment key={`${table}.${column}`}>
            {index > 0 ? ', ' : ''}
            {range ? (
              <button type="button" className={styles['place']} onClick={() => reveal(range, true)}>
                {table}.{column}
              </button>
            ) : (
              `${table}.${column}`
            )}
          </Fragment>
        )
      })}{' '}
      is longer than 64 KiB
    </>
  )
}

/** A button to profile the point that the run lacks for a prediction. */
function Lack({ lack }: { lack: NoPrediction }) {
  return (
    <button type="button" className={styles['place']} title={lack.reason} onClick={() => requestGridWith(lack.missing)}>
      Profile with the missing point
    </button>
  )
}

/** A formula with its symbols as links, and behind it the same with numbers. */
function Formula({ formula, bound, isSmall = false }: { formula: string; bound: Bound; isSmall?: boolean }) {
  const values = new Map(bound.terms.map((term) => [term.symbol, term.value]))
  const parts = formulaParts(formula, [...values.keys()])
  const hasSymbols = parts.some((part) => part.isSymbol)
  return (
    <p className={isSmall ? styles['smallExpression'] : styles['expression']}>
      {parts.map((part, index) => (
        <FormulaPart key={`${part.text}:${index}`} text={part.text} bound={part.isSymbol ? bound : null} />
      ))}
      {hasSymbols && !isSmall ? (
        <span className={styles['numbers']}> = {formulaWithValues(formula, values)}</span>
      ) : null}
    </p>
  )
}

/** A part of a formula: a symbol is a button that shows the text that proves it. */
function FormulaPart({ text, bound }: { text: string; bound: Bound | null }) {
  const term = bound?.terms.find((candidate) => candidate.symbol === text)
  const target = term?.range ?? term?.number_range
  if (!term || !target) return <span>{text}</span>
  return (
    <button type="button" className={styles['symbol']} title={term.reason} onClick={() => reveal(target, true)}>
      {text}
    </button>
  )
}

/** Each symbol with its value, the reason, and a link to the line that proves it. */
function Terms({ bound }: { bound: Bound }) {
  return (
    <section className={styles['section']} aria-label="What proves it">
      <h3 className={styles['heading']}>What proves it</h3>
      <ul className={styles['terms']}>
        {bound.terms.map((term, index) => {
          const target = term.range ?? term.number_range
          return (
            <li key={`${index}:${term.symbol}`} className={styles['term']}>
              <code className={styles['termSymbol']}>{term.symbol}</code>
              <span className={styles['termValue']}>
                {/\D/.test(term.symbol) ? `= ${formatCount(term.value)}` : ''}
              </span>
              <span className={styles['termReason']}>
                {term.reason}
                {target ? (
                  <button type="button" className={styles['place']} onClick={() => reveal(target, true)}>
                    {target.file}:{target.start_line}
                  </button>
                ) : null}
              </span>
            </li>
          )
        })}
      </ul>
    </section>
  )
}

function Operators({ query, bound }: { query: Query; bound: Bound }) {
  return (
    <section className={styles['section']} aria-label="By operator">
      <h3 className={styles['heading']}>By operator</h3>
      <Table
        label={`Operators of ${query.name}`}
        columns={['Operator', numeric('Operations'), 'Formula', numeric('Rows'), numeric('Bytes')]}
      >
        {bound.by_operator
          .filter((operator) => operator.operations > 0 || operator.bytes > 0)
          .map((operator) => (
            <tr key={operator.path}>
              <Cell>
                <button
                  type="button"
                  className={styles['operator']}
                  onClick={() => setView({ panel: 'plan', stage: 'physical', node: operator.path })}
                >
                  {operator.operator}
                </button>
              </Cell>
              <Cell isNumeric>≤ {formatCount(operator.operations)}</Cell>
              <Cell>
                <code>{operator.formula}</code>
              </Cell>
              <Cell isNumeric>≤ {formatCount(operator.rows)}</Cell>
              <Cell isNumeric>≤ {formatBytes(operator.bytes)}</Cell>
            </tr>
          ))}
      </Table>
    </section>
  )
}

interface FactProps {
  name: string
  value: string
  detail?: React.ReactNode
  isWide?: boolean
}

function Fact({ name, value, detail, isWide = false }: FactProps) {
  return (
    <div className={styles['fact']} data-wide={isWide}>
      <dt>{name}</dt>
      <dd>{value}</dd>
      {detail ? <dd className={styles['factDetail']}>{detail}</dd> : null}
    </div>
  )
}
