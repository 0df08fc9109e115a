/**
 * What the diagram of a schema shows, before it is placed by diagram-layout.ts: a box for each table with a line for each
 * column, key, limit and index, a link for each foreign key and from each table to the views that are made from it, and
 * over them the steps of one query with their bounds.
 */
import { formatCount } from '../units'
import type { TextRange } from './shapes'

interface SchemaColumn {
  name: string
  type: string
  is_nullable: boolean
  range: TextRange | null
}

interface SchemaLimit {
  columns: readonly string[]
  limit: number
  is_token: boolean
  range: TextRange | null
  number_range: TextRange | null
}

interface SchemaForeignKey {
  columns: readonly string[]
  table: string
  referenced_columns: readonly string[]
  range: TextRange | null
}

export interface SchemaTable {
  name: string
  range: TextRange | null
  name_range: TextRange | null
  columns: readonly SchemaColumn[]
  primary_key: readonly string[]
  unique_keys: readonly { columns: readonly string[]; range: TextRange | null }[]
  foreign_keys: readonly SchemaForeignKey[]
  limits: readonly SchemaLimit[]
  /** The tables of which a view is made; none for a table. */
  made_from: readonly string[]
  /** How many stripes each group of a view has, 1 without any; null for a table. */
  stripes: number | null
}

export interface SchemaIndex {
  name: string
  table: string
  columns: readonly { name: string; ascending: boolean }[]
  definition: string
  used_by: readonly string[]
}

/** The columns whose values a step looks for in its own table. */
interface Source {
  table: string
  columns: readonly string[]
}

/** One access of the query's bound, as the API tells it; null where nothing bounds it. */
export interface Access {
  kind: 'read' | 'write' | 'check' | 'keep'
  table: string
  index: string | null
  comes_from: readonly Source[]
  operations: number | null
  rows: number | null
  is_unbounded: boolean
}

/** One step of the query, as the diagram shows it; numbered from 1. */
export interface Step {
  number: number
  kind: Access['kind']
  table: string
  index: string | null
  comesFrom: readonly Source[]
  /** `≤ 100 ops`, `∞ unbounded`, `checked` or `kept`; empty if the operations are not known. */
  text: string
  /** The same with the rows: `≤ 100 ops, ≤ 5,000 rows`. */
  longText: string
  isUnbounded: boolean
}

/** One line of a box; `steps` are those that use the index of the line. */
export interface Line {
  id: string
  kind: 'column' | 'unique' | 'limit' | 'index' | 'stripes'
  name: string
  detail: string
  /** Everything about it in words, for the tooltip and screen readers. */
  title: string
  /** Whether the column is a part of the primary key. */
  isKey: boolean
  range: TextRange | null
  steps: readonly Step[]
}

export interface Box {
  name: string
  range: TextRange | null
  isView: boolean
  lines: readonly Line[]
  steps: readonly Step[]
  isUnbounded: boolean
}

/**
 * A foreign key, from the referencing table to the referenced one, a table that feeds a view, or a step that follows no
 * foreign key, in its direction.
 */
export interface Link {
  id: string
  from: string
  to: string
  kind: 'key' | 'feed' | 'step'
  /** The referencing columns of `from`; empty for a step that follows no foreign key. */
  columns: readonly string[]
  /** The most rows of `from` that reference the same row; null if nothing limits them. */
  most: number | null
  label: string
  title: string
  range: TextRange | null
  steps: readonly Step[]
  isUnbounded: boolean
}

export interface Diagram {
  boxes: readonly Box[]
  links: readonly Link[]
  steps: readonly Step[]
}

/** The diagram of a schema with the accesses of one query; accesses of unknown tables are left out. */
export function schemaDiagram(
  tables: readonly SchemaTable[],
  indexes: readonly SchemaIndex[],
  accesses: readonly Access[],
): Diagram {
  const known = new Set(tables.map(({ name }) => name))
  const steps = accesses.filter(({ table }) => known.has(table)).map(stepOf)
  const boxes = tables.map((table) => boxOf(table, indexes, steps))
  const keys = tables.flatMap((table) => keyLinks(table, known))
  const feeds = tables.flatMap((table) => feedLinks(table, known))
  return { boxes, links: withSteps([...keys, ...feeds], steps, known), steps }
}

function stepOf(access: Access, index: number): Step {
  const text = stepText(access)
  const rows =
    access.rows === null || text === '' ? '' : `, ≤ ${formatCount(access.rows)} ${access.rows === 1 ? 'row' : 'rows'}`
  return {
    number: index + 1,
    kind: access.kind,
    table: access.table,
    index: access.index,
    comesFrom: access.comes_from,
    text,
    longText: `${text}${rows}`,
    isUnbounded: access.is_unbounded,
  }
}

function stepText({ kind, operations, is_unbounded: isUnbounded }: Access): string {
  if (isUnbounded) return '∞ unbounded'
  if (kind === 'check') return 'checked'
  if (kind === 'keep') return 'kept'
  return operations === null ? '' : `≤ ${formatCount(operations)} ${operations === 1 ? 'op' : 'ops'}`
}

function boxOf(table: SchemaTable, indexes: readonly SchemaIndex[], steps: readonly Step[]): Box {
  const tableSteps = steps.filter((step) => step.table === table.name)
  return {
    name: table.name,
    range: table.name_range ?? table.range,
    isView: table.made_from.length > 0,
    lines: [
      ...table.columns.map((column) => columnLine(table, column)),
      ...table.unique_keys.map(uniqueLine),
      ...table.limits.map(limitLine),
      ...indexes.filter((index) => index.table === table.name).map((index) => indexLine(index, tableSteps)),
      ...(table.stripes === null ? [] : [stripesLine(table.stripes)]),
    ],
    steps: tableSteps,
    isUnbounded: tableSteps.some((step) => step.isUnbounded),
  }
}

function columnLine(table: SchemaTable, column: SchemaColumn): Line {
  const isKey = table.primary_key.includes(column.name)
  const target = table.foreign_keys.find((key) => key.columns.includes(column.name))?.table
  const facts = [
    `${column.name} ${column.type}`,
    isKey && 'primary key',
    target && `references ${target}`,
    !column.is_nullable && !isKey && 'not null',
  ]
  return {
    id: `column:${column.name}`,
    kind: 'column',
    name: column.name,
    detail: target ? `${column.type} → ${target}` : column.type,
    title: facts.filter(Boolean).join(', '),
    isKey,
    range: column.range,
    steps: [],
  }
}

function uniqueLine(key: SchemaTable['unique_keys'][number]): Line {
  const columns = key.columns.join(', ')
  return {
    id: `unique:${columns}`,
    kind: 'unique',
    name: '≤ 1',
    detail: `per ${columns}`,
    title: `at most 1 row per ${columns}`,
    isKey: false,
    range: key.range,
    steps: [],
  }
}

function limitLine(limit: SchemaLimit): Line {
  const per = limitColumns(limit)
  return {
    id: `limit:${per}`,
    kind: 'limit',
    name: `≤ ${formatCount(limit.limit)}`,
    detail: `per ${per}`,
    title: `at most ${formatCount(limit.limit)} rows per ${per}`,
    isKey: false,
    range: limit.number_range ?? limit.range,
    steps: [],
  }
}

/** The columns of a limit: `owner`, `owner, day`, `word of text` for a token limit, `table` for that of all rows. */
function limitColumns(limit: SchemaLimit): string {
  if (limit.columns.length === 0) return 'table'
  return `${limit.is_token ? 'word of ' : ''}${limit.columns.join(', ')}`
}

function indexLine(index: SchemaIndex, steps: readonly Step[]): Line {
  const columns = index.columns.map(({ name, ascending }) => `${name}${ascending ? '' : ' ↓'}`).join(', ')
  const users = index.used_by.length
  return {
    id: `index:${index.name}`,
    kind: 'index',
    name: columns,
    detail: users === 0 ? 'index' : `index, ${formatCount(users)} ${users === 1 ? 'query' : 'queries'}`,
    title: `index ${index.definition}, ${users === 0 ? 'read by no query' : `read by ${index.used_by.join(', ')}`}`,
    isKey: false,
    range: null,
    steps: steps.filter((step) => step.index === index.name),
  }
}

/** How many rows each group of a view has; whoever opens the line can change it. */
function stripesLine(count: number): Line {
  return {
    id: 'stripes',
    kind: 'stripes',
    name: count === 1 ? 'no stripes' : `${formatCount(count)} stripes`,
    detail: count === 1 ? 'a group is 1 row' : `a group is ≤ ${formatCount(count)} rows`,
    title: 'how many rows each group has: choose another number',
    isKey: false,
    range: null,
    steps: [],
  }
}

function keyLinks(table: SchemaTable, known: ReadonlySet<string>): Link[] {
  return table.foreign_keys
    .filter((key) => known.has(key.table))
    .map((key) => {
      const columns = key.columns.join(', ')
      const most = mostRows(table, key.columns)
      return {
        id: `${table.name}(${columns})→${key.table}`,
        from: table.name,
        to: key.table,
        kind: 'key',
        columns: key.columns,
        most,
        label: `${columns} · ${most === null ? 'no limit' : `≤ ${formatCount(most)}`}`,
        title:
          most === null
            ? `${table.name}.${columns} references ${key.table}; nothing limits how many rows do`
            : `${table.name}.${columns} references ${key.table}; at most ${formatCount(most)} rows name the same one`,
        range: key.range,
        steps: [],
        isUnbounded: false,
      }
    })
}

/** The links from the tables of a view to the view. */
function feedLinks(view: SchemaTable, known: ReadonlySet<string>): Link[] {
  return view.made_from
    .filter((name) => known.has(name))
    .map((name) => ({
      id: `${name}⇒${view.name}`,
      from: name,
      to: view.name,
      kind: 'feed',
      columns: [],
      most: null,
      label: '',
      title: `${name} feeds the view ${view.name}: a write to ${name} keeps it up to date`,
      range: null,
      steps: [],
      isUnbounded: false,
    }))
}

/** The most rows that share one value of these columns, by keys and limits; null if nothing limits them. */
function mostRows(table: SchemaTable, columns: readonly string[]): number | null {
  const names = new Set(columns)
  const isWithin = (part: readonly string[]) => part.length > 0 && part.every((name) => names.has(name))
  if (isWithin(table.primary_key) || table.unique_keys.some((key) => isWithin(key.columns))) return 1
  const isOnAll = (limit: SchemaLimit) => limit.columns.length === 0 || isWithin(limit.columns)
  const limits = table.limits.filter((limit) => !limit.is_token && isOnAll(limit)).map(({ limit }) => limit)
  return limits.length > 0 ? Math.min(...limits) : null
}

/**
 * Adds the steps to the links: a step that follows a foreign key to its link, a view that is kept to that of the table
 * that feeds it, any other one as a link of its own.
 */
function withSteps(links: readonly Link[], steps: readonly Step[], known: ReadonlySet<string>): Link[] {
  const onLinks = new Map<string, Step[]>()
  const alone = new Map<string, Link>()
  for (const step of steps) {
    for (const source of step.comesFrom.filter(({ table }) => known.has(table) && table !== step.table)) {
      const from = source.table
      const link = linkBetween(links, source, step)
      if (link) onLinks.set(link.id, [...(onLinks.get(link.id) ?? []), step])
      else {
        const id = `${from}⇢${step.table}`
        const stepsBefore = alone.get(id)?.steps ?? []
        alone.set(id, stepLink(id, from, step.table, [...stepsBefore, step]))
      }
    }
  }
  const marked = links.map((link) => {
    const linkSteps = onLinks.get(link.id)
    return linkSteps ? { ...link, steps: linkSteps, isUnbounded: linkSteps.some((step) => step.isUnbounded) } : link
  })
  return [...marked, ...alone.values()]
}

/**
 * For a view that is kept the link that feeds it; else the foreign key that has these columns and references the table of
 * the step, or the first one of that table that references theirs.
 */
function linkBetween(links: readonly Link[], { table, columns }: Source, step: Step): Link | undefined {
  const to = step.table
  if (step.kind === 'keep') return links.find((link) => link.kind === 'feed' && link.from === table && link.to === to)
  const keys = links.filter(({ kind }) => kind === 'key')
  return (
    keys.find((key) => key.from === table && key.to === to && key.columns.every((name) => columns.includes(name))) ??
    keys.find((key) => key.from === to && key.to === table)
  )
}

function stepLink(id: string, from: string, to: string, steps: readonly Step[]): Link {
  return {
    id,
    from,
    to,
    kind: 'step',
    columns: [],
    most: null,
    label: '',
    title: `${steps.map(({ number }) => `step ${number}`).join(', ')}: for each row of ${from}, rows of ${to}`,
    range: null,
    steps,
    isUnbounded: steps.some((step) => step.isUnbounded),
  }
}

/** The diagram with only the tables that the query uses. */
export function tablesOfSteps({ boxes, links, steps }: Diagram): Diagram {
  const names = new Set(steps.map(({ table }) => table))
  return {
    boxes: boxes.filter(({ name }) => names.has(name)),
    links: links.filter(({ from, to }) => names.has(from) && names.has(to)),
    steps,
  }
}

/** The text on a link: its limit, then the steps of the query along it. */
export function linkLabel(link: Link): string {
  return [link.label, ...link.steps.map((step) => `${step.number}: ${step.longText || 'read'}`)]
    .filter(Boolean)
    .join(' · ')
}

/** The same diagram with only the names of its tables: for a schema that is too large to be read with its columns. */
export function namesOnly({ boxes, links, steps }: Diagram): Diagram {
  return {
    boxes: boxes.map((box) => ({ ...box, lines: [] })),
    links: links.map((link) => ({ ...link, label: '' })),
    steps,
  }
}
