import { useState } from 'react'
import type { SchemaEdit, Table } from '../../api/types'
import { reveal } from '../../app/editor-bridge'
import { notify } from '../../app/notices'
import { applyTextEdits, documentAt, replaceText } from '../../documents/documents'
import { CHANGES, openedForm, type SchemaForm } from '../../logic/schema-form'
import { applyEdits, editsByFile } from '../../logic/text-edits'
import { Button } from '../../ui/Button'
import { Dialog, DialogActions } from '../../ui/Dialog'
import { Form } from '../../ui/Form'
import { ErrorNotice, Notice } from '../../ui/Notice'
import { TextDiff } from '../../ui/TextDiff'
import { ChangeFields } from './ChangeFields'
import styles from './change-schema.module.css'
import { useSchemaEdit } from './useSchemaEdit'

interface ChangeSchemaProps {
  tables: readonly Table[]
  /** What is known of the change already. */
  known: Partial<SchemaForm>
  onClose: () => void
}

/** A dialog that describes one change of the schema, shows what it does to the text and the queries, and makes it. */
export function ChangeSchema({ tables, known, onClose }: ChangeSchemaProps) {
  const [form, setForm] = useState(() => openedForm(tables, known))
  const { edit, error, isCurrent } = useSchemaEdit(form)
  const apply = () => {
    if (!isCurrent || !edit || edit.edits.length === 0) return
    makeChange(form, edit)
    onClose()
  }
  return (
    <Dialog title="Change the schema" onClose={onClose}>
      <Form onSubmit={apply}>
        <ChangeFields form={form} tables={tables} onChange={setForm} />
        <div className={styles['preview']} aria-live="polite" aria-busy={!isCurrent}>
          {error ? <ErrorNotice error={error} /> : null}
          {edit ? <Preview edit={edit} /> : null}
          {!edit && !error ? (
            <p className={styles['hint']}>The lines that change are shown here before anything is written.</p>
          ) : null}
        </div>
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit" disabled={!isCurrent || !edit || edit.edits.length === 0}>
            Write it into the text
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  )
}

/** The lines that change, then what that means for the queries. */
function Preview({ edit }: { edit: SchemaEdit }) {
  if (edit.edits.length === 0) return <Notice>The text already has this: nothing changes.</Notice>
  const files = [...editsByFile(edit.edits)].map(([path, edits]) => {
    const before = documentAt(path)?.text ?? ''
    return { path, before, after: safely(before, edits) }
  })
  const { new_errors: errors, now_bounded: bounded, now_refused: refused } = edit
  return (
    <>
      <TextDiff files={files} />
      {refused.length > 0 ? (
        <Notice tone="danger">
          No longer bounded: {refused.join(', ')}. {refused.length === 1 ? 'It is' : 'They are'} refused until the text
          is mended.
        </Notice>
      ) : null}
      {errors.length > refused.length || (errors.length > 0 && refused.length === 0) ? (
        <Notice tone="danger">
          {errors[0]?.message}
          {errors.length > 1 ? ` And ${errors.length - 1} more.` : ''}
        </Notice>
      ) : null}
      {bounded.length > 0 ? <Notice tone="accent">Now bounded: {bounded.join(', ')}.</Notice> : null}
      {errors.length === 0 && refused.length === 0 && bounded.length === 0 ? (
        <Notice tone="accent">Compiled: every query keeps its bound.</Notice>
      ) : null}
    </>
  )
}

/** The text after the edits; the text itself where it has changed since they were made, until newer edits arrive. */
function safely(before: string, edits: SchemaEdit['edits']): string {
  try {
    return applyEdits(before, edits)
  } catch {
    return before
  }
}

/** Makes the change in the editor, shows it there, and offers to take it back. */
function makeChange(form: SchemaForm, { edits }: SchemaEdit): void {
  const before = [...editsByFile(edits).keys()].map((path) => ({ path, text: documentAt(path)?.text ?? '' }))
  applyTextEdits(edits)
  const after = new Map(before.map(({ path }) => [path, documentAt(path)?.text]))
  const first = edits[0]?.range
  if (first) reveal({ ...first, end_line: first.start_line, end_column: first.start_column })
  const title = CHANGES.find(({ kind }) => kind === form.kind)?.title ?? ''
  notify({
    tone: 'success',
    text: `${title}: written into ${before.map(({ path }) => path).join(', ')}.`,
    subject: 'schema-change',
    action: {
      label: 'Undo',
      run: () => {
        for (const { path, text } of before) if (documentAt(path)?.text === after.get(path)) replaceText(path, text)
      },
    },
  })
}
