import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { LiveTable } from '../../api/types'
import { useEnvironment } from '../../app/url-state'
import { shownValue } from '../../logic/row-values'
import { Button } from '../../ui/Button'
import { Form } from '../../ui/Form'
import { ErrorNotice } from '../../ui/Notice'
import styles from './data.module.css'
import { deleteRow, rowAfter, type Values } from './data-api'
import { keyValuesOf } from './RowForm'

interface DeleteRowProps {
  table: LiveTable
  row: Values
  /** Called with a sentence about what was done. */
  onDone: (sentence: string) => void
  onClose: () => void
}

/** Asks before it deletes a row. If the row has changed since it was read, the server says what it is now; asks again. */
export function DeleteRow({ table, row, onDone, onClose }: DeleteRowProps) {
  const environment = useEnvironment()
  const [seen, setSeen] = useState(row)
  const write = useMutation({
    mutationFn: () => deleteRow(environment, table.name, keyValuesOf(table, row), seen),
    onError: async (error) => {
      const current = await rowAfter(error, environment, table.name, keyValuesOf(table, row))
      if (current) setSeen(current)
    },
    onSuccess: (cost) => onDone(`Deleted: ${cost.operations} of ≤ ${cost.bound_operations} operations.`),
  })
  const key = table.columns
    .filter(({ is_key }) => is_key)
    .map(({ name, type }) => `${name} = ${shownValue(row[name], type).text}`)
    .join(', ')
  return (
    <Form className={styles['form']} aria-label={`Delete a row of ${table.name}`} onSubmit={() => write.mutate()}>
      <p className={styles['question']}>Delete the row with {key}?</p>
      {write.error ? <ErrorNotice error={write.error} /> : null}
      <div className={styles['actions']}>
        <Button type="submit" look="danger" disabled={write.isPending}>
          Delete the row
        </Button>
        <Button onClick={onClose}>Keep it</Button>
      </div>
    </Form>
  )
}
