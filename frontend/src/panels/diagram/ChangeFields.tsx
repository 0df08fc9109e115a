import type { Table } from '../../api/types'
import { useLiveFiles } from '../../app/live-text'
import { CHANGES, type ChangeKind, type SchemaForm, withTable } from '../../logic/schema-form'
import { declaresView } from '../../logic/stripe-words'
import { SelectField, TextArea, TextField } from '../../ui/Field'
import styles from './change-schema.module.css'
import { StripeDial } from './StripeDial'

interface ChangeFieldsProps {
  form: SchemaForm
  tables: readonly Table[]
  onChange: (form: SchemaForm) => void
}

/** The fields of the change that is chosen in the first of them. */
export function ChangeFields({ form, tables, onChange }: ChangeFieldsProps) {
  const set = (part: Partial<SchemaForm>) => onChange({ ...form, ...part })
  const isOfView = form.kind === 'set-stripes'
  const views = tables.filter(({ made_from: sources }) => sources.length > 0)
  const shown = isOfView ? views : tables
  const columns = tables.find(({ name }) => name === form.table)?.columns ?? []
  const names = columns.map(({ name }) => name).join(', ')
  return (
    <div className={styles['fields']}>
      <SelectField
        label="Change"
        value={form.kind}
        onChange={(event) => onChange(withKind(form, tables, views, event.target.value as ChangeKind))}
      >
        {CHANGES.filter(({ kind }) => isPossible(kind, tables, views)).map(({ kind, title }) => (
          <option key={kind} value={kind}>
            {title}
          </option>
        ))}
      </SelectField>
      {form.kind === 'add-table' ? null : (
        <NameChoice
          label={isOfView ? 'View' : 'Table'}
          value={form.table}
          names={shown.map(({ name }) => name)}
          onChange={(table) => onChange(withTable(form, tables, table))}
        />
      )}
      <Asked form={form} set={set} columnNames={names} tables={tables} />
      {ASK_FOR_COLUMNS.has(form.kind) ? (
        <p className={styles['known']}>
          {form.table} has {names}.
        </p>
      ) : null}
    </div>
  )
}

/** The form for another kind of change; only a view has stripes. */
function withKind(form: SchemaForm, tables: readonly Table[], views: readonly Table[], kind: ChangeKind): SchemaForm {
  const view = views.find(({ name }) => name === form.table) ?? views[0]
  const changed = { ...form, kind }
  return kind === 'set-stripes' && view ? withTable(changed, tables, view.name) : changed
}

function isPossible(kind: ChangeKind, tables: readonly Table[], views: readonly Table[]): boolean {
  return kind === 'add-table' || (kind === 'set-stripes' ? views.length > 0 : tables.length > 0)
}

/** The changes whose columns are typed. */
const ASK_FOR_COLUMNS: ReadonlySet<ChangeKind> = new Set(['add-reference', 'set-limit', 'remove-limit', 'add-index'])

interface AskedProps {
  form: SchemaForm
  set: (part: Partial<SchemaForm>) => void
  /** The columns of the table, with commas between. */
  columnNames: string
  tables: readonly Table[]
}

/** What the chosen change needs beside its table. */
function Asked({ form, set, columnNames, tables }: AskedProps) {
  const column = (
    <NameChoice
      label="Column"
      value={form.column}
      names={columnNames.split(', ')}
      onChange={(value) => set({ column: value })}
    />
  )
  const name = (label: string) => (
    <TextField label={label} value={form.name} onChange={(event) => set({ name: event.target.value })} />
  )
  const columns = (hint: string) => (
    <TextField
      label="Columns"
      hint={hint}
      value={form.columns}
      onChange={(event) => set({ columns: event.target.value })}
    />
  )
  const limit = (label: string) => (
    <TextField
      label={label}
      inputMode="numeric"
      suffix="rows"
      value={form.limit}
      onChange={(event) => set({ limit: event.target.value })}
    />
  )
  switch (form.kind) {
    case 'add-column':
      return (
        <>
          {name('Name')}
          <TextField
            label="Type"
            hint="such as VARCHAR(32)"
            value={form.type}
            onChange={(event) => set({ type: event.target.value })}
          />
          <label className={styles['check']}>
            <input
              type="checkbox"
              checked={form.isRequired}
              onChange={(event) => set({ isRequired: event.target.checked })}
            />
            Always has a value (NOT NULL)
          </label>
        </>
      )
    case 'rename-column':
      return (
        <>
          {column}
          {name('New name')}
        </>
      )
    case 'drop-column':
      return column
    case 'add-reference':
      return (
        <>
          {columns('commas between')}
          <NameChoice
            label="References"
            value={form.referenced}
            names={tables.map((table) => table.name)}
            onChange={(referenced) => set({ referenced })}
          />
          {limit('Limit, if there is one')}
        </>
      )
    case 'set-limit':
      return (
        <>
          {columns('or TOKEN(…) for words')}
          {limit('At most')}
        </>
      )
    case 'remove-limit':
      return columns('commas between')
    case 'add-index':
      return (
        <>
          {name('Name')}
          {columns('in order: owner, posted DESC')}
        </>
      )
    case 'set-stripes':
      return <Stripes form={form} set={set} tables={tables} />
    case 'add-table':
      return (
        <>
          {name('Name')}
          <div className={styles['wide']}>
            <TextArea
              label="Columns"
              hint="one a line: owner VARCHAR(32)"
              rows={4}
              value={form.lines}
              onChange={(event) => set({ lines: event.target.value })}
            />
          </div>
          <TextField
            label="Primary key"
            hint="columns in order"
            value={form.key}
            onChange={(event) => set({ key: event.target.value })}
          />
        </>
      )
  }
}

/** The stripes of a view and, since a view that is live keeps its number, the name of the one that is filled beside it. */
function Stripes({ form, set, tables }: Pick<AskedProps, 'form' | 'set' | 'tables'>) {
  const isLive = declaresView(useLiveFiles()?.files ?? [], form.table)
  const now = tables.find(({ name }) => name === form.table)?.stripes ?? 1
  const choose = (stripes: string) =>
    set({ stripes, name: isLive && stripes !== String(now) ? `${form.table}_${stripes}` : '' })
  return (
    <>
      <TextField
        label="Stripes"
        hint={`now ${now === 1 ? 'none' : now}; 1 is none`}
        inputMode="numeric"
        value={form.stripes}
        onChange={(event) => choose(event.target.value)}
      />
      <TextField
        label="New name"
        hint={isLive ? 'it is live, so another is filled beside it' : 'empty: it keeps its name'}
        value={form.name}
        onChange={(event) => set({ name: event.target.value })}
      />
      <StripeDial
        view={form.table}
        rate={form.rate}
        stripes={form.stripes}
        onRate={(rate) => set({ rate })}
        onStripes={choose}
      />
    </>
  )
}

interface NameChoiceProps {
  label: string
  value: string
  names: readonly string[]
  onChange: (name: string) => void
}

function NameChoice({ label, value, names, onChange }: NameChoiceProps) {
  return (
    <SelectField label={label} value={value} onChange={(event) => onChange(event.target.value)}>
      {names.map((name) => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
    </SelectField>
  )
}
