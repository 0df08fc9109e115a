/** The form in which a change of the schema is described, and the change that it asks the language service for. */

export const CHANGES = [
  { kind: 'add-column', title: 'Add a column' },
  { kind: 'rename-column', title: 'Rename a column' },
  { kind: 'drop-column', title: 'Drop a column' },
  { kind: 'add-reference', title: 'Add a reference' },
  { kind: 'set-limit', title: 'Set a limit' },
  { kind: 'remove-limit', title: 'Remove a limit' },
  { kind: 'add-index', title: 'Add an index' },
  { kind: 'set-stripes', title: 'Set the stripes of a view' },
  { kind: 'add-table', title: 'Add a table' },
] as const

export type ChangeKind = (typeof CHANGES)[number]['kind']

/** Everything that the form asks for any kind of change, as typed. */
export interface SchemaForm {
  kind: ChangeKind
  table: string
  column: string
  /** Columns with commas between: `owner, posted DESC`, or `TOKEN(text)` for a limit on words. */
  columns: string
  name: string
  type: string
  isRequired: boolean
  referenced: string
  limit: string
  /** Of a view: how many, and the writes a second to its hottest group, by which a number is advised. */
  stripes: string
  rate: string
  /** The columns of a new table, one a line. */
  lines: string
  key: string
}

const EMPTY: SchemaForm = {
  kind: 'add-column',
  table: '',
  column: '',
  columns: '',
  name: '',
  type: '',
  isRequired: false,
  referenced: '',
  limit: '',
  stripes: '',
  rate: '',
  lines: '',
  key: '',
}

interface FormTable {
  name: string
  columns: readonly { name: string }[]
}

/** The form as it opens: what is known already, and the first table and column for the rest. */
export function openedForm(tables: readonly FormTable[], known: Partial<SchemaForm>): SchemaForm {
  const table = known.table ?? tables[0]?.name ?? ''
  return withTable({ ...EMPTY, kind: tables.length === 0 ? 'add-table' : EMPTY.kind, ...known }, tables, table)
}

/** The form about another table: a column that the table does not have gives way to its last one. */
export function withTable(form: SchemaForm, tables: readonly FormTable[], table: string): SchemaForm {
  const names = tables.find(({ name }) => name === table)?.columns.map(({ name }) => name) ?? []
  const column = names.includes(form.column) ? form.column : (names.at(-1) ?? '')
  const isReferenced = tables.some(({ name }) => name === form.referenced)
  const referenced = isReferenced ? form.referenced : (tables.find(({ name }) => name !== table)?.name ?? table)
  return { ...form, table, column, referenced }
}

/** Whether a field that the change needs is still empty. */
export function isIncomplete(form: SchemaForm): boolean {
  return NEEDED[form.kind].some((field) => form[field].trim() === '')
}

const NEEDED: Record<ChangeKind, readonly Exclude<keyof SchemaForm, 'isRequired' | 'kind'>[]> = {
  'add-column': ['name', 'type'],
  'rename-column': ['column', 'name'],
  'drop-column': ['column'],
  'add-reference': ['columns'],
  'set-limit': ['columns', 'limit'],
  'remove-limit': ['columns'],
  'add-index': ['name', 'columns'],
  'set-stripes': ['table', 'stripes'],
  'add-table': ['name', 'lines', 'key'],
}

/** The change as the API takes it. Throws an Error that says which field cannot be understood. */
export function changeOf(form: SchemaForm) {
  const { kind, table, column, name } = form
  switch (kind) {
    case 'add-column':
      return { kind, table, column: { name, type: form.type, is_required: form.isRequired } }
    case 'rename-column':
      return { kind, table, column, new_name: name }
    case 'drop-column':
      return { kind, table, column }
    case 'add-reference': {
      const limit = form.limit.trim() === '' ? null : wholeNumber(form.limit)
      return { kind, table, columns: namesIn(form.columns), referenced_table: form.referenced, limit }
    }
    case 'set-limit':
      return { kind, table, ...limitColumns(form.columns), limit: wholeNumber(form.limit) }
    case 'remove-limit':
      return { kind: 'set-limit' as const, table, ...limitColumns(form.columns), limit: null }
    case 'add-index': {
      const parts = namesIn(form.columns)
      const isDescending = (part: string) => /\sdesc$/i.test(part)
      const columns = parts.map((part) => part.replace(/\s+(asc|desc)$/i, ''))
      return { kind, table, name, columns, descending: columns.filter((_, index) => isDescending(parts[index] ?? '')) }
    }
    case 'set-stripes':
      return { kind, view: table, stripes: stripesIn(form.stripes), new_name: name.trim() === '' ? null : name.trim() }
    case 'add-table': {
      const lines = form.lines.split('\n').filter((line) => line.trim() !== '')
      return { kind, name, columns: lines.map(columnIn), primary_key: namesIn(form.key) }
    }
  }
}

/** The names between commas. */
function namesIn(text: string): string[] {
  return text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
}

function limitColumns(text: string) {
  const words = /^\s*token\s*\((.*)\)\s*$/i.exec(text)
  return { columns: namesIn(words?.[1] ?? text), is_token: words !== null }
}

function wholeNumber(text: string): number {
  const number = Number(text.replaceAll(/[\s_,]/g, ''))
  if (text.trim() === '' || !Number.isInteger(number) || number < 1 || number > MOST_ROWS)
    throw new Error('The limit is a whole number of rows, at least 1.')
  return number
}

const MOST_ROWS = 1_000_000_000

function stripesIn(text: string): number {
  const number = Number(text)
  if (text.trim() === '' || !Number.isInteger(number) || number < 1 || number > MOST_STRIPES)
    throw new Error(`The stripes are a whole number from 1, which is none, to ${MOST_STRIPES}.`)
  return number
}

const MOST_STRIPES = 256

/** `posted TIMESTAMP NOT NULL,` as a column. */
function columnIn(line: string) {
  const text = line.trim().replace(/,$/, '')
  const required = /\s+not\s+null$/i
  const [, name = '', type = ''] = /^("[^"]*"|\S+)\s*(.*)$/s.exec(text.replace(required, '')) ?? []
  return { name: name.replaceAll('"', ''), type, is_required: required.test(text) }
}
