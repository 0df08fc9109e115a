/** The dialogs that open before an application is renamed, duplicated or deleted. */
import { useState } from 'react'
import type { ApplicationSummary } from '../../api/types'
import { Button } from '../../ui/Button'
import { Dialog, DialogActions } from '../../ui/Dialog'
import { TextField } from '../../ui/Field'
import { Form } from '../../ui/Form'
import { ErrorNotice } from '../../ui/Notice'
import styles from './home.module.css'
import { useApplicationChange } from './useApplicationChange'

interface AskedProps {
  application: ApplicationSummary
  onClose: () => void
}

/** Asks for a name: the new one of the application, or that of its copy. */
export function NamedApplication({ does, application, onClose }: AskedProps & { does: 'rename' | 'duplicate' }) {
  const { id, title } = application
  const change = useApplicationChange(id)[does]
  const [name, setName] = useState(does === 'rename' ? title : `${title} copy`)
  const what = does === 'rename' ? 'Rename' : 'Duplicate'
  return (
    <Dialog title={`${what} ${title}`} onClose={onClose}>
      <Form className={styles['form']} onSubmit={() => change.mutate(name.trim(), { onSuccess: onClose })}>
        <TextField label="Name" value={name} maxLength={100} onChange={(event) => setName(event.target.value)} />
        <p>
          {does === 'rename'
            ? `Its id stays ${id}, so links and scripts go on as they are.`
            : 'The copy has the same files, and an empty store of its own.'}
        </p>
        {change.error ? <ErrorNotice error={change.error} /> : null}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" disabled={change.isPending || name.trim() === ''}>
            {what}
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  )
}

/** Deletes an application once its id is typed. */
export function DeleteApplication({ application, onClose }: AskedProps) {
  const { id, title } = application
  const { remove } = useApplicationChange(id)
  const [name, setName] = useState('')
  return (
    <Dialog title={`Delete ${title}?`} onClose={onClose}>
      <Form className={styles['form']} onSubmit={() => name === id && remove.mutate(name, { onSuccess: onClose })}>
        <p>
          Its queries stop, and its files, data and measurements leave the workbench. The server keeps them below
          deleted/.
        </p>
        <TextField label={`Type ${id} to delete it`} value={name} onChange={(event) => setName(event.target.value)} />
        {remove.error ? <ErrorNotice error={remove.error} /> : null}
        <DialogActions>
          <Button onClick={onClose}>Keep it</Button>
          <Button type="submit" look="danger" disabled={remove.isPending || name !== id}>
            Delete application
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  )
}
