import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { GeneratedTable, Generation } from '../../api/types'
import { useEnvironment } from '../../app/url-state'
import { Button } from '../../ui/Button'
import { Dialog, DialogActions } from '../../ui/Dialog'
import { TextField } from '../../ui/Field'
import { Form } from '../../ui/Form'
import { ErrorNotice, Notice } from '../../ui/Notice'
import { Progress } from '../../ui/Progress'
import { Switch } from '../../ui/Switch'
import { Cell, numeric, Table } from '../../ui/Table'
import { formatBytes, formatCount, plural } from '../../units'
import styles from './data.module.css'
import { cancelGeneration, generate, generation, isGenerating } from './generation-api'

type Amount = 'rows' | 'full'

/**
 * Generates rows for all tables: says how many and how large they would be (`Preview`), then loads them. Tables that hold
 * rows get new ones only with `Add to them`.
 */
export function GenerateDialog({ onClose }: { onClose: () => void }) {
  const environment = useEnvironment()
  const queryClient = useQueryClient()
  const [amount, setAmount] = useState<Amount>('rows')
  const [number, setNumber] = useState('1000')
  const [seed, setSeed] = useState('0')
  const [nulls, setNulls] = useState('10')
  const begin = useMutation({
    mutationFn: (wish: { isDryRun: boolean; isAdding: boolean }) =>
      generate(environment, {
        rows: amount === 'rows' ? Number(number) : 0,
        full: amount === 'full' ? Number(number) : null,
        seed: Number(seed),
        nullShare: Number(nulls) / 100,
        ...wish,
      }),
    onSuccess: (state) => queryClient.setQueryData(generation(environment, state.id).queryKey, state),
  })
  const id = begin.data?.id ?? ''
  const { data: state, error } = useQuery({ ...generation(environment, id), enabled: id !== '' })
  const stop = useMutation({ mutationFn: () => cancelGeneration(environment, id) })
  const isBusy = begin.isPending || (state !== undefined && isGenerating(state))
  const holdsRows = begin.error !== null && 'code' in begin.error && begin.error.code === 'rows-are-there'
  const refusal = begin.error ?? stop.error ?? error
  return (
    <Dialog title="Generate rows for all tables" onClose={onClose}>
      <div className={styles['import']}>
        <Form
          className={styles['wish']}
          aria-label="What to generate"
          onSubmit={() => begin.mutate({ isDryRun: true, isAdding: false })}
        >
          <div className={styles['amount']}>
            <Switch
              label="How many rows"
              value={amount}
              options={[
                { value: 'rows', label: 'Some rows' },
                { value: 'full', label: 'Full groups' },
              ]}
              onChange={(next) => {
                setAmount(next)
                setNumber(next === 'rows' ? '1000' : '3')
              }}
            />
            <p>
              {amount === 'rows'
                ? 'One group of each limit is full. A table gets more rows than this if that is needed.'
                : 'All groups of these parents are full: the most rows that the limits allow them.'}
            </p>
          </div>
          <TextField
            label={amount === 'rows' ? 'Rows of each table' : 'Parents'}
            inputMode="numeric"
            value={number}
            onChange={(event) => setNumber(event.target.value)}
          />
          <TextField
            label="Seed"
            hint="same seed, same rows"
            inputMode="numeric"
            value={seed}
            onChange={(event) => setSeed(event.target.value)}
          />
          <TextField
            label="NULLs"
            suffix="%"
            inputMode="numeric"
            value={nulls}
            onChange={(event) => setNulls(event.target.value)}
          />
        </Form>
        {isBusy ? (
          <Progress
            label={state?.state === 'loading' ? 'Loading' : 'Counting'}
            share={state && state.rows_asked > 0 ? state.rows_done / state.rows_asked : null}
          />
        ) : null}
        <div role="status">{state ? <Outcome state={state} /> : null}</div>
        {state && state.tables.length > 0 ? <Tables tables={state.tables} /> : null}
        {refusal ? <ErrorNotice error={refusal} /> : null}
        <DialogActions>
          {isBusy ? (
            <Button disabled={stop.isPending || id === ''} onClick={() => stop.mutate()}>
              Stop
            </Button>
          ) : (
            <>
              <Button onClick={() => begin.mutate({ isDryRun: true, isAdding: false })}>Preview</Button>
              <Button look="primary" onClick={() => begin.mutate({ isDryRun: false, isAdding: holdsRows })}>
                {holdsRows ? 'Add to them' : 'Generate'}
              </Button>
            </>
          )}
        </DialogActions>
      </div>
    </Dialog>
  )
}

function Outcome({ state }: { state: Generation }) {
  const rows = plural(
    state.tables.reduce((sum, table) => sum + table.rows, 0),
    'row',
  )
  const bytes = formatBytes(state.tables.reduce((sum, table) => sum + table.bytes, 0))
  switch (state.state) {
    case 'making':
    case 'loading':
      return state.table === null ? null : (
        <Notice tone="accent">
          {state.table}: {formatCount(state.rows_done)} of {formatCount(state.rows_asked)} rows
        </Notice>
      )
    case 'made':
      return <Notice tone="accent">{`It would be ${rows}, about ${bytes}. Nothing is written.`}</Notice>
    case 'loaded':
      return <Notice tone="accent">{`${rows} in, about ${bytes}.`}</Notice>
    case 'stopped':
      return (
        <Notice tone="accent">{`Stopped. ${rows} ${state.rows_asked > 0 ? 'were made' : 'made'} until then.`}</Notice>
      )
    case 'failed':
      return <Notice tone="danger">{state.message}</Notice>
  }
}

function Tables({ tables }: { tables: readonly GeneratedTable[] }) {
  return (
    <Table
      label="Generated rows"
      columns={['table', numeric('rows'), numeric('size'), 'fullest group of each limit', 'not made']}
    >
      {tables.map((table) => (
        <tr key={table.table}>
          <Cell>{table.table}</Cell>
          <Cell isNumeric>{formatCount(table.rows)}</Cell>
          <Cell isNumeric>{formatBytes(table.bytes)}</Cell>
          <Cell className={styles['why']}>{table.limits.map(fillInWords).join(', ')}</Cell>
          <Cell className={styles['why']}>{missingInWords(table)}</Cell>
        </tr>
      ))}
    </Table>
  )
}

function fillInWords({ columns, is_token, limit, fullest }: GeneratedTable['limits'][number]): string {
  const group = is_token ? `word in ${columns.join(', ')}` : columns.join(', ')
  return `${formatCount(fullest)} of ${formatCount(limit)} per ${group}`
}

function missingInWords({ asked, rows, left_out }: GeneratedTable): string {
  if (left_out > 0) return `${formatCount(left_out)}: they did not fit the rows that are there`
  return rows < asked ? `${formatCount(asked - rows)}: keys and limits leave no room` : ''
}
