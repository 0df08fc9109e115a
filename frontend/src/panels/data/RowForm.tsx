import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { ApiError } from '../../api/client'
import type { LiveColumn, LiveTable } from '../../api/types'
import { useEnvironment } from '../../app/url-state'
import { readTyped, typedValue } from '../../logic/row-values'
import { Button } from '../../ui/Button'
import { SelectField, TextArea, TextField } from '../../ui/Field'
import { Form } from '../../ui/Form'
import { ErrorNotice } from '../../ui/Notice'
import styles from './data.module.css'
import { insertRow, rowAfter, updateRow, type Values } from './data-api'

/** What a field holds: a text, null for NULL, undefined where the column is left out and its DEFAULT is written. */
type Typed = string | null | undefined

interface RowFormProps {
  table: LiveTable
  /** The row that is changed; null for a new one. */
  row: Values | null
  /** Called with a sentence about what was done. */
  onDone: (sentence: string) => void
  onClose: () => void
}

/**
 * Inserts or changes one row, with a field for each column. Only changed columns are written. A refusal is shown at the
 * column that it is about, else below the fields. If the row was changed meanwhile, what was not typed here is shown as it
 * is now, and what was typed stays.
 */
export function RowForm({ table, row, onDone, onClose }: RowFormProps) {
  const [typed, setTyped] = useState<Record<string, Typed>>(() =>
    Object.fromEntries(
      table.columns.map((column) => [column.name, row ? typedValue(row[column.name]) : first(column)]),
    ),
  )
  const [seen, setSeen] = useState(row)
  const environment = useEnvironment()
  const form = useRef<HTMLFormElement>(null)
  const changed = table.columns.filter(({ name }) =>
    seen ? typed[name] !== typedValue(seen[name]) : typed[name] !== undefined,
  )
  const values = Object.fromEntries(
    changed.map(({ name, type }) => [name, readTyped(typed[name] ?? null, type)]),
  ) as Values
  const write = useMutation({
    mutationFn: () =>
      seen
        ? updateRow(environment, table.name, keyValuesOf(table, seen), values, seen)
        : insertRow(environment, table.name, values),
    onSuccess: (cost) =>
      onDone(`${row ? 'Changed' : 'Inserted'}: ${cost.operations} of ≤ ${cost.bound_operations} operations.`),
    onError: async (error) => {
      if (!seen) return
      const current = await rowAfter(error, environment, table.name, keyValuesOf(table, seen))
      if (!current) return
      setTyped((before) =>
        Object.fromEntries(
          table.columns.map(({ name }) => [
            name,
            before[name] === typedValue(seen[name]) ? typedValue(current[name]) : before[name],
          ]),
        ),
      )
      setSeen(current)
    },
  })
  const refusal = write.error instanceof ApiError ? write.error : null
  const refusedColumn = table.columns.find(({ name }) => name === refusal?.parameter)?.name
  useEffect(() => {
    if (refusal) form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus()
  }, [refusal])
  useEffect(() => {
    form.current?.querySelector<HTMLElement>('input:not([readonly]), select:enabled, textarea:not([readonly])')?.focus()
  }, [])
  return (
    <Form
      ref={form}
      className={styles['form']}
      onKeyDown={(event) => {
        if (event.key === 'Escape') onClose()
      }}
      aria-label={row ? `Edit a row of ${table.name}` : `New row of ${table.name}`}
      onSubmit={() => write.mutate()}
    >
      {table.columns.map((column) => (
        <ColumnField
          key={column.name}
          column={column}
          value={typed[column.name]}
          isNew={row === null}
          error={
            refusedColumn === column.name ? [refusal?.message, refusal?.help].filter(Boolean).join(' ') : undefined
          }
          onChange={(value) => setTyped((before) => ({ ...before, [column.name]: value }))}
        />
      ))}
      {write.error && refusedColumn === undefined ? <ErrorNotice error={write.error} /> : null}
      <div className={styles['actions']}>
        <Button type="submit" look="primary" disabled={write.isPending || (row !== null && changed.length === 0)}>
          {row ? 'Write the change' : 'Insert the row'}
        </Button>
        <Button onClick={onClose}>Cancel</Button>
      </div>
    </Form>
  )
}

/** The values of a row's primary key. */
export function keyValuesOf(table: LiveTable, row: Values): Values {
  return Object.fromEntries(table.primary_key.map((name) => [name, row[name] ?? null])) as Values
}

/** What the field of a new row holds at first. */
function first({ has_default, is_nullable }: LiveColumn): Typed {
  return has_default ? undefined : is_nullable ? null : ''
}

interface ColumnFieldProps {
  column: LiveColumn
  value: Typed
  isNew: boolean
  error: string | undefined
  onChange: (value: Typed) => void
}

function ColumnField({ column, value, isNew, error, onChange }: ColumnFieldProps) {
  const { name, type, is_nullable, has_default } = column
  const isFixed = !isNew && column.is_key // a row keeps its key
  const common = {
    label: name,
    hint: [type, type === 'TIMESTAMP' && 'UTC', type === 'BLOB' && 'base64', isFixed && 'key']
      .filter(Boolean)
      .join(' · '),
    error,
    value: value ?? '',
  }
  const placeholder = value === undefined ? 'DEFAULT' : value === null ? 'NULL' : undefined
  return (
    <div className={styles['field']}>
      {type === 'BOOLEAN' ? (
        <SelectField {...common} disabled={isFixed} onChange={(event) => onChange(event.target.value)}>
          <option value="">{placeholder ?? 'choose'}</option>
          <option>true</option>
          <option>false</option>
        </SelectField>
      ) : /^TEXT/.test(type) || /[\r\n]/.test(value ?? '') ? (
        <TextArea
          {...common}
          placeholder={placeholder}
          readOnly={isFixed}
          onChange={(event) => onChange(event.target.value)}
        />
      ) : (
        <TextField
          {...common}
          placeholder={placeholder}
          readOnly={isFixed}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
      {has_default && isNew ? <Choice word="DEFAULT" stands={undefined} {...{ name, value, onChange }} /> : null}
      {is_nullable ? <Choice word="NULL" stands={null} {...{ name, value, onChange }} /> : null}
    </div>
  )
}

interface ChoiceProps {
  word: 'DEFAULT' | 'NULL'
  /** What the field holds while the word is chosen. */
  stands: null | undefined
  name: string
  value: Typed
  onChange: (value: Typed) => void
}

/** A button by which a column has a word in place of a text. */
function Choice({ word, stands, name, value, onChange }: ChoiceProps) {
  const isPressed = value === stands
  return (
    <Button
      size="small"
      aria-label={`${word} as ${name}`}
      aria-pressed={isPressed}
      onClick={() => onChange(isPressed ? '' : stands)}
    >
      {word}
    </Button>
  )
}
