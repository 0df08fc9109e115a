import { type DragEvent, useState } from 'react'
import { answered, api, messageOf } from '../../api/client'
import type { SchemaDialect, SchemaImport } from '../../api/types'
import { reveal } from '../../app/editor-bridge'
import { useView } from '../../app/url-state'
import { createFile } from '../../documents/creating'
import { useDocuments } from '../../documents/documents'
import { decoded, freePath, importSummary } from '../../logic/schema-import'
import { Button } from '../../ui/Button'
import { Dialog, DialogActions } from '../../ui/Dialog'
import { SelectField, TextArea, TextField } from '../../ui/Field'
import { Form } from '../../ui/Form'
import { ErrorNotice } from '../../ui/Notice'
import { Cell, numeric, Table } from '../../ui/Table'
import styles from './application.module.css'

const DIALECTS: Record<SchemaDialect, string> = {
  auto: 'Recognise it',
  postgres: 'PostgreSQL',
  mysql: 'MySQL',
  sqlite: 'SQLite',
  oracle: 'Oracle',
  tsql: 'SQL Server',
  cql: 'Cassandra (CQL)',
}

/**
 * A dialog in two steps: `Input` takes the schema and queries of another database and has the server translate them;
 * `Outcome` shows what was changed or left out, and writes the result into a new file.
 */
export function ImportSchema({ onClose }: { onClose: () => void }) {
  const [imported, setImported] = useState<SchemaImport>()
  const [text, setText] = useState('')
  const [queries, setQueries] = useState('')
  const [dialect, setDialect] = useState<SchemaDialect>('auto')
  return (
    <Dialog title="Import a schema" onClose={onClose}>
      {imported ? (
        <Outcome imported={imported} onBack={() => setImported(undefined)} onClose={onClose} />
      ) : (
        <Input
          {...{ text, setText, queries, setQueries, dialect, setDialect }}
          onImported={setImported}
          onClose={onClose}
        />
      )}
    </Dialog>
  )
}

interface InputProps {
  text: string
  setText: (text: string) => void
  queries: string
  setQueries: (queries: string) => void
  dialect: SchemaDialect
  setDialect: (dialect: SchemaDialect) => void
  onImported: (imported: SchemaImport) => void
  onClose: () => void
}

/** The text typed so far is held by the dialog, so that `Back` returns to it. */
function Input({ text, setText, queries, setQueries, dialect, setDialect, onImported, onClose }: InputProps) {
  const [error, setError] = useState<unknown>()
  const [isReading, setReading] = useState(false)
  const translate = async () => {
    setReading(true)
    try {
      onImported(await answered(api.POST('/api/schema-imports', { body: { text, queries, dialect } })))
    } catch (failure) {
      setError(failure)
    }
    setReading(false)
  }
  const readFile = async (file: File | undefined, onText: (content: string) => void) => {
    if (!file) return
    try {
      onText(decoded(await file.arrayBuffer()))
      setError(undefined)
    } catch (failure) {
      setError(failure)
    }
  }
  const dropHandlers = (onText: (content: string) => void) => ({
    onDragOver: (event: DragEvent) => event.preventDefault(),
    onDrop: (event: DragEvent) => {
      if (event.dataTransfer.files.length === 0) return
      event.preventDefault()
      void readFile(event.dataTransfer.files[0], onText)
    },
  })
  return (
    <Form className={styles['importForm']} onSubmit={() => void translate()}>
      <TextArea
        label="Schema"
        hint="paste it, or drop a file: a script or a dump, whose rows are skipped"
        rows={10}
        required
        value={text}
        onChange={(event) => setText(event.target.value)}
        {...dropHandlers(setText)}
      />
      <TextField
        label="File"
        type="file"
        accept=".sql,.cql,.ddl,.txt"
        onChange={(event) => void readFile(event.target.files?.[0], setText)}
      />
      <TextArea
        label="Queries"
        hint="where there are some: SELECT, INSERT, UPDATE, DELETE"
        rows={4}
        value={queries}
        onChange={(event) => setQueries(event.target.value)}
        {...dropHandlers(setQueries)}
      />
      <SelectField
        label="Written for"
        value={dialect}
        onChange={(event) => setDialect(event.target.value as SchemaDialect)}
      >
        {Object.entries(DIALECTS).map(([name, title]) => (
          <option key={name} value={name}>
            {title}
          </option>
        ))}
      </SelectField>
      {error ? <ErrorNotice error={error} /> : null}
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="primary" disabled={isReading || text.trim() === ''}>
          {isReading ? 'Reading …' : 'Read schema'}
        </Button>
      </DialogActions>
    </Form>
  )
}

function Outcome({ imported, onBack, onClose }: { imported: SchemaImport; onBack: () => void; onClose: () => void }) {
  const { application } = useView()
  const files = useDocuments((state) => state.files)
  const [path, setPath] = useState(() =>
    freePath(
      'imported.piql',
      files.map((file) => file.path),
    ),
  )
  const [error, setError] = useState<string>()
  const write = async () => {
    const fullPath = path.endsWith('.piql') ? path : `${path}.piql`
    try {
      await createFile(application, fullPath, imported.text)
      onClose()
      reveal({ file: fullPath, start_line: 1, start_column: 1, end_line: 1, end_column: 1 })
    } catch (failure) {
      setError(messageOf(failure))
    }
  }
  return (
    <Form onSubmit={() => void write()}>
      <p role="status">{importSummary(imported, DIALECTS[imported.dialect as SchemaDialect])}</p>
      {imported.notes.length > 0 ? (
        <div className={styles['importNotes']}>
          <Table label="Changed and left out" columns={[numeric('Line'), 'What', 'Outcome', 'Why']}>
            {imported.notes.map((note, index) => (
              <tr key={index}>
                <Cell isNumeric>{note.line}</Cell>
                <Cell>{note.is_query ? `query ${note.subject}` : note.subject}</Cell>
                <Cell>{note.outcome}</Cell>
                <Cell className={styles['importReason']}>{note.reason}</Cell>
              </tr>
            ))}
          </Table>
        </div>
      ) : null}
      <TextField
        label="Path"
        hint="a new file that ends in .piql"
        value={path}
        error={error}
        onChange={(event) => setPath(event.target.value)}
      />
      <DialogActions>
        <Button onClick={onBack}>Back</Button>
        <Button type="submit" look="primary">
          Write file
        </Button>
      </DialogActions>
    </Form>
  )
}
