import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { LiveTable } from '../../api/types'
import { useCompilation } from '../../app/selection'
import { useEnvironment } from '../../app/url-state'
import { Button } from '../../ui/Button'
import { TextField } from '../../ui/Field'
import { Form } from '../../ui/Form'
import { ErrorNotice } from '../../ui/Notice'
import { formatCount, plural } from '../../units'
import { ChangeSchema } from '../diagram/ChangeSchema'
import styles from './headroom.module.css'
import { countShared } from './headroom-api'

/** Counts the rows that share some columns, and offers a limit that they keep, to be written into the text. */
export function LimitFromData({ table }: { table: LiveTable }) {
  const environment = useEnvironment()
  const compilation = useCompilation()
  const [columns, setColumns] = useState('')
  const [isWriting, setWriting] = useState(false)
  const names = columns
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean)
  const count = useMutation({ mutationFn: (chosen: string[]) => countShared(environment, table.name, chosen) })
  const { data: shared, variables: counted = [] } = count
  return (
    <article className={styles['limit']} aria-label="A limit from the data">
      <Form className={styles['raise']} aria-label="Rows that share columns" onSubmit={() => count.mutate(names)}>
        <TextField
          label="Rows that share"
          hint={`commas between: ${table.columns.map(({ name }) => name).join(', ')}`}
          value={columns}
          onChange={(event) => setColumns(event.target.value)}
        />
        <Button type="submit" size="small" disabled={count.isPending || names.length === 0}>
          {count.isPending ? 'Counting…' : 'How many?'}
        </Button>
      </Form>
      <div role="status">
        {shared ? (
          <p>
            {plural(shared.groups, 'group')} of {plural(shared.rows, 'row')}
            {shared.is_complete ? '' : ', more were not read'}
            {shared.fullest[0] ? `; the fullest has ${formatCount(shared.fullest[0].rows)}` : ''}.{' '}
            {compilation ? (
              <Button size="small" onClick={() => setWriting(true)}>
                Limit to {formatCount(shared.limit)}…
              </Button>
            ) : null}
          </p>
        ) : null}
      </div>
      {count.error ? <ErrorNotice error={count.error} /> : null}
      {isWriting && shared && compilation ? (
        <ChangeSchema
          tables={compilation.tables}
          known={{ kind: 'set-limit', table: table.name, columns: counted.join(', '), limit: String(shared.limit) }}
          onClose={() => setWriting(false)}
        />
      ) : null}
    </article>
  )
}
