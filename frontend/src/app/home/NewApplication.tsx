import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useId, useRef, useState } from 'react'
import { answered, api } from '../../api/client'
import { applications } from '../../api/queries'
import type { ApplicationImport } from '../../api/types'
import { DEVELOPMENT, viewOf } from '../../logic/view'
import { Button } from '../../ui/Button'
import { Dialog, DialogActions } from '../../ui/Dialog'
import { SelectField, TextField } from '../../ui/Field'
import { Form } from '../../ui/Form'
import { ErrorNotice } from '../../ui/Notice'
import { setView } from '../url-state'
import styles from './home.module.css'
import { ImportPreview } from './ImportPreview'
import { ImportSource, type Source } from './ImportSource'
import { discardImport } from './import-api'

const TEMPLATES = [
  { id: '', name: 'Empty' },
  { id: 'scadr', name: 'SCADr: short thoughts of users who follow each other' },
  { id: 'tpcw', name: 'TPC-W: a bookshop with carts and orders' },
  { id: 'chat', name: 'Chat: rooms, members, messages and unread posts' },
  { id: 'shop', name: 'Shop: products, carts, orders and reviews' },
  { id: 'leaderboard', name: 'Leaderboard: stories, and views that count their votes and comments' },
]
const SOURCES: readonly { id: Source; name: string }[] = [
  { id: 'schema', name: 'A schema in SQL or CQL' },
  { id: 'files', name: 'A folder or files of this computer' },
  { id: 'archive', name: 'An archive that was exported' },
  { id: 'repository', name: 'A git repository' },
  { id: 'folder', name: 'A folder of the server' },
  { id: 'keyspace', name: 'The tables of a keyspace' },
]

/** The dialog that creates an application, empty, from a template with its data or from elsewhere, and opens it. */
export function NewApplication({ onClose }: { onClose: () => void }) {
  const queryClient = useQueryClient()
  const formId = useId()
  const [title, setTitle] = useState('')
  const [start, setStart] = useState('')
  const [staged, setStaged] = useState<ApplicationImport | null>(null)
  const source = SOURCES.find(({ id }) => id === start)?.id
  const isMade = useRef(false)
  const open = (id: string, environment: string) => {
    isMade.current = true // an import that became an application is gone on the server
    void queryClient.invalidateQueries({ queryKey: applications.queryKey })
    onClose()
    setView(viewOf(id, environment))
  }
  const create = useMutation({
    mutationFn: () =>
      answered(api.POST('/api/applications', { body: { title: title.trim(), template: start || null } })),
    onSuccess: ({ id }) => open(id, DEVELOPMENT),
  })
  const discard = () => {
    if (staged && !isMade.current) void discardImport(staged.id).catch(() => undefined)
    setStaged(null)
  }
  const close = () => {
    discard()
    onClose()
  }
  return (
    <Dialog title={staged ? 'What it brings' : 'New application'} onClose={close}>
      {staged ? (
        <ImportPreview
          key={staged.id}
          staged={staged}
          title={title.trim()}
          onBack={discard}
          onMade={(id) => open(id, staged.environments[0]?.id ?? DEVELOPMENT)}
        />
      ) : null}
      {/* It stays while the preview is shown, so that `Back` returns to what was typed. */}
      <div hidden={staged !== null} className={styles['form']}>
        <TextField
          label="Name"
          hint={source ? 'empty: that of the source' : undefined}
          form={formId}
          value={title}
          maxLength={100}
          onChange={(event) => setTitle(event.target.value)}
        />
        <SelectField label="Start from" form={formId} value={start} onChange={(event) => setStart(event.target.value)}>
          <optgroup label="Here">
            {TEMPLATES.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </optgroup>
          <optgroup label="From elsewhere">
            {SOURCES.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </optgroup>
        </SelectField>
        {source ? (
          <ImportSource
            key={source}
            formId={formId}
            source={source}
            title={title.trim()}
            onStaged={setStaged}
            onClose={close}
          />
        ) : (
          <Form id={formId} onSubmit={() => title.trim() !== '' && create.mutate()}>
            {create.error ? <ErrorNotice error={create.error} /> : null}
            <DialogActions>
              <Button onClick={close}>Cancel</Button>
              <Button type="submit" look="primary" disabled={create.isPending || title.trim() === ''}>
                {create.isPending ? 'Creating…' : 'Create'}
              </Button>
            </DialogActions>
          </Form>
        )}
      </div>
    </Dialog>
  )
}
