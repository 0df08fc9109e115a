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

/** Equal values of columns, offered only where the key or an index serves them. */
export function Filter({ table, filter, onFilter }: FilterProps) {
  const given = Object.keys(filter)
  const next = nextFilters(table.filters, given)
  const [chosen, setChosen] = useState('')
  const [text, setText] = useState('')
  const column = next.includes(chosen) ? chosen : (next[0] ?? '')
  const typeOf = (name: string) => table.columns.find((candidate) => candidate.name === name)?.type ?? ''
  return (
    <Form
      className={styles['filter']}
      aria-label="Filter"
      onSubmit={() => {
        onFilter({ ...filter, [column]: readTyped(text, typeOf(column)) })
        setText('')
      }}
    >
      {given.map((name) => (
        <Button
          key={name}
          size="small"
          aria-label={`Remove the filter of ${name}`}
          onClick={() =>
            onFilter(
              Object.fromEntries(given.slice(0, given.indexOf(name)).map((kept) => [kept, filter[kept] ?? null])),
            )
          }
        >
          {name} = {shownValue(filter[name], typeOf(name)).text} ✕
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
