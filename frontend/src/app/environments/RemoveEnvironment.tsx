import { useState } from 'react'
import type { Environment } from '../../api/types'
import { viewOf } from '../../logic/view'
import { Button } from '../../ui/Button'
import { Dialog, DialogActions } from '../../ui/Dialog'
import { TextField } from '../../ui/Field'
import { Form } from '../../ui/Form'
import { ErrorNotice } from '../../ui/Notice'
import { currentView, setView } from '../url-state'
import styles from './environments.module.css'
import { useEnvironmentChange } from './useEnvironmentChange'

interface RemoveEnvironmentProps {
  application: string
  environment: Environment
  /** Those that are left: whoever looks at the one that goes sees the first of them then. */
  others: readonly Environment[]
  onDone: () => void
  onClose: () => void
}

export function RemoveEnvironment({ application, environment, others, onDone, onClose }: RemoveEnvironmentProps) {
  const { id, title, store } = environment
  const { remove } = useEnvironmentChange(application)
  const [name, setName] = useState('')
  const [deletesData, setDeletesData] = useState(false)
  const leave = () => {
    const view = currentView()
    const [next] = others
    if (view.application === application && view.environment === id && next) setView(viewOf(application, next.id))
    onDone()
  }
  const isFile = store?.kind === 'embedded' && !store.is_served
  return (
    <Dialog key="remove" title={`Remove ${title}?`} onClose={onClose}>
      <Form
        onSubmit={() =>
          name === id && remove.mutate({ environment: id, deletes_data: deletesData }, { onSuccess: leave })
        }
      >
        <p>
          Its queries stop, and its measurements leave the workbench: the server keeps them below deleted/.{' '}
          {deletesData
            ? 'Its data are deleted for good.'
            : store?.url === 'embedded'
              ? 'So it does with its data.'
              : 'Its store stays as it is.'}
        </p>
        {isFile ? (
          <label className={styles['check']}>
            <input type="checkbox" checked={deletesData} onChange={(event) => setDeletesData(event.target.checked)} />
            Delete its data, too
          </label>
        ) : null}
        <TextField label={`Type ${id} to remove it`} value={name} onChange={(event) => setName(event.target.value)} />
        {remove.error ? <ErrorNotice error={remove.error} /> : null}
        <DialogActions>
          <Button onClick={onDone}>Keep it</Button>
          <Button type="submit" look="danger" disabled={remove.isPending || name !== id}>
            Remove environment
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  )
}
