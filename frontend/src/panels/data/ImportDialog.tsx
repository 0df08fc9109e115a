import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useId, useState } from 'react'
import type { FileImport, LiveTable } from '../../api/types'
import { useEnvironment } from '../../app/url-state'
import { Button } from '../../ui/Button'
import { Dialog, DialogActions } from '../../ui/Dialog'
import { SelectField } from '../../ui/Field'
import { ErrorNotice, Notice } from '../../ui/Notice'
import { Progress } from '../../ui/Progress'
import { Cell, numeric, Table } from '../../ui/Table'
import { formatCount } from '../../units'
import styles from './data.module.css'
import { cancelImport, deleteImport, fileImport, isRunning, type RunOptions, runImport, upload } from './data-api'
import { importOutcome } from './import-outcome'

/**
 * Imports the rows of a file into a table: the file is uploaded, its columns are mapped to those of the table, and its
 * rows are checked without writing (`Check all rows`) or loaded. Loading can be stopped, and resumed behind the last
 * loaded line.
 */
export function ImportDialog({ table, onClose }: { table: LiveTable; onClose: () => void }) {
  const environment = useEnvironment()
  const [uploadedShare, setUploadedShare] = useState<number | null>(null)
  const sending = useMutation({ mutationFn: (file: File) => upload(environment, table.name, file, setUploadedShare) })
  const id = useId()
  const close = () => {
    // Refused while a run goes on, which needs the file.
    if (sending.data) void deleteImport(environment, sending.data.id).catch(() => undefined)
    onClose()
  }
  return (
    <Dialog title={`Import into ${table.name}`} onClose={close}>
      <div className={styles['import']}>
        {sending.data ? (
          <UploadedFile table={table} id={sending.data.id} first={sending.data} />
        ) : (
          <>
            <label htmlFor={id}>A file of CSV, JSON lines or Parquet, at most 512 MB</label>
            <input
              id={id}
              type="file"
              accept=".csv,.tsv,.json,.jsonl,.ndjson,.parquet"
              disabled={sending.isPending}
              onChange={(event) => {
                const file = event.target.files?.[0]
                if (file) sending.mutate(file)
              }}
            />
            {sending.isPending ? <Progress label="Upload" share={uploadedShare} /> : null}
            {sending.error ? <ErrorNotice error={sending.error} /> : null}
          </>
        )}
      </div>
    </Dialog>
  )
}

/** The mapping of an uploaded file, the progress and outcome of its last run, and the buttons of the next one. */
function UploadedFile({ table, id, first }: { table: LiveTable; id: string; first: FileImport }) {
  const environment = useEnvironment()
  const queryClient = useQueryClient()
  const { data = first, error } = useQuery({ ...fileImport(environment, id), initialData: first })
  const [mapping, setMapping] = useState<Record<string, string | null>>(() =>
    Object.fromEntries(first.columns.map((name, index) => [name, first.suggested[index] ?? null])),
  )
  const onSuccess = (state: FileImport) => queryClient.setQueryData(fileImport(environment, id).queryKey, state)
  const run = useMutation({ mutationFn: (options: RunOptions) => runImport(environment, id, options), onSuccess })
  const stop = useMutation({ mutationFn: () => cancelImport(environment, id), onSuccess })
  const isBusy = isRunning(data) || run.isPending
  const canResume = data.rows_in > 0 && (data.state === 'stopped' || data.state === 'refused')
  // Loading is the main action only where nothing is known to be wrong: all rows passed with this very mapping.
  const isChecked = data.state === 'checked' && run.variables?.mapping === mapping
  const isLoadingNext = data.problems.length === 0 && (isChecked || canResume)
  return (
    <>
      {data.columns.length > 0 ? (
        <Mapping table={table} data={data} mapping={mapping} isBusy={isBusy} onMap={setMapping} />
      ) : null}
      {isBusy ? (
        <Progress
          label={data.state === 'loading' ? 'Loading' : 'Checking'}
          share={data.rows_total ? data.rows_done / data.rows_total : null}
        />
      ) : null}
      <Outcome data={data} />
      {(run.error ?? stop.error ?? error) ? <ErrorNotice error={run.error ?? stop.error ?? error} /> : null}
      {data.columns.length > 0 ? (
        <DialogActions>
          {isBusy ? (
            <Button disabled={stop.isPending} onClick={() => stop.mutate()}>
              Stop
            </Button>
          ) : (
            <>
              <Button
                look={isLoadingNext ? 'plain' : 'primary'}
                onClick={() => run.mutate({ mapping, isDryRun: true, isResumed: false })}
              >
                Check all rows
              </Button>
              <Button
                look={isLoadingNext ? 'primary' : 'plain'}
                onClick={() => run.mutate({ mapping, isDryRun: false, isResumed: canResume })}
              >
                {canResume ? `Go on behind line ${formatCount(data.line_in)}` : 'Load the rows'}
              </Button>
            </>
          )}
        </DialogActions>
      ) : null}
    </>
  )
}

interface MappingProps {
  table: LiveTable
  data: FileImport
  /** By column of the file, the column of the table; null leaves it out. */
  mapping: Record<string, string | null>
  isBusy: boolean
  onMap: (mapping: Record<string, string | null>) => void
}

function Mapping({ table, data, mapping, isBusy, onMap }: MappingProps) {
  return (
    <Table label={`Columns of ${data.file_name}`} columns={['column of the file', 'goes into', 'first value']}>
      {data.columns.map((name, index) => (
        <tr key={name}>
          <Cell>{name}</Cell>
          <Cell>
            <SelectField
              label={`${name} goes into`}
              isLabelHidden
              disabled={isBusy}
              value={mapping[name] ?? ''}
              onChange={(event) => onMap({ ...mapping, [name]: event.target.value || null })}
            >
              <option value="">leave out</option>
              {table.columns.map((column) => (
                <option key={column.name}>{column.name}</option>
              ))}
            </SelectField>
          </Cell>
          <Cell className={styles['sample']}>{firstValue(data, index)}</Cell>
        </tr>
      ))}
    </Table>
  )
}

function firstValue(data: FileImport, column: number): string {
  const value = data.sample[0]?.[column]
  return value === null || value === undefined ? 'NULL' : String(value as string)
}

/** The outcome of the last run in a sentence, and a table of the faults by line and column. */
function Outcome({ data }: { data: FileImport }) {
  const words = importOutcome(data)
  return (
    <>
      <div role="status">
        {words ? (
          <Notice tone={data.problems.length > 0 || data.state === 'failed' ? 'danger' : 'accent'}>{words}</Notice>
        ) : null}
      </div>
      {data.problems.length > 0 ? (
        <Table label="Faults" columns={[numeric('line'), 'column', 'value', 'what is wrong']}>
          {data.problems.map((problem) => (
            <tr key={`${problem.line}/${problem.column}/${problem.message}`}>
              <Cell isNumeric>{problem.line === null ? '' : formatCount(problem.line)}</Cell>
              <Cell>{problem.column}</Cell>
              <Cell className={styles['sample']}>{problem.value}</Cell>
              <Cell className={styles['why']}>{problem.message}</Cell>
            </tr>
          ))}
        </Table>
      ) : null}
      {data.is_more ? <p className={styles['about']}>There may be more faults: these are the first.</p> : null}
    </>
  )
}
