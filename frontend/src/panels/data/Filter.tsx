import { X } from 'lucide-react'
import { useState } from 'react'
import type { LiveTable } from '../../api/types'
import { nextFilters, readTyped, shownValue } from '../../logic/row-values'
import { Button } from '../../ui/Button'
import { SelectField, TextField } from '../../ui/Field'
import { Form } from '../../ui/Form'
import styles from './data.module.css'
import type { Values } from './data-api'

interface FilterProps {
  table: LiveTable
  filter: Values
  onFilter: (filter: Values) => void
}

/** Filters rows by equal values of columns; only columns that the key or an index serves next are offered. */
export function Filter({ table, filter, onFilter }: FilterProps) {
  const filtered = Object.keys(filter)
  const next = nextFilters(table.filters, filtered)
  const [chosen, setChosen] = useState('')
  const [text, setText] = useState('')
  const column = next.includes(chosen) ? chosen : (next[0] ?? '')
  const typeOf = (name: string) => table.columns.find((candidate) => candidate.name === name)?.type ?? ''
  const shown = (name: string) => `${name} = ${shownValue(filter[name], typeOf(name)).text}`
  return (
    <Form
      className={styles['filter']}
      aria-label="Filter"
      onSubmit={() => {
        onFilter({ ...filter, [column]: readTyped(text, typeOf(column)) })
        setText('')
      }}
    >
      {filtered.map((name) => (
        <Button
          key={name}
          size="small"
          aria-label={`${shown(name)}: remove this filter`}
          onClick={() => {
            // The columns after it rely on it, so their filters go as well.
            const kept = filtered.slice(0, filtered.indexOf(name))
            onFilter(Object.fromEntries(kept.map((keptName) => [keptName, filter[keptName] ?? null])))
          }}
        >
          {shown(name)} <X size={12} aria-hidden />
        </Button>
      ))}
      {next.length > 0 ? (
        <>
          <SelectField
            label="Filter by"
            isLabelHidden
            value={column}
            onChange={(event) => setChosen(event.target.value)}
          >
            {next.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </SelectField>
          <TextField
            label={`${column} equals`}
            isLabelHidden
            placeholder="equals…"
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
          <Button type="submit" size="small">
            Filter
          </Button>
        </>
      ) : null}
    </Form>
  )
}
