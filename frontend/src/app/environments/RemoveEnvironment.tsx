import { useState } from 'react'
import type { Environment } from '../../api/types'
import { viewOf } from '../../logic/view'
import { Button } from '../../ui/Button'
import { Dialog, DialogActions } from '../../ui/Dialog'
import { TextField } from '../../ui/Field'
import { Form } from '../../ui/Form'
import { ErrorNotice } from '../../ui/Notice'
import { currentView, setView } from '../url-state'
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
  const leave = () => {
    const view = currentView()
    const [next] = others
    if (view.application === application && view.environment === id && next) setView(viewOf(application, next.id))
    onDone()
  }
  const isOwnFile = store === null || store.url === 'embedded'
  return (
    <Dialog key="remove" title={`Remove ${title}?`} onClose={onClose}>
      <Form onSubmit={() => name === id && remove.mutate(id, { onSuccess: leave })}>
        <p>
          Its queries stop, and its measurements leave the workbench.{' '}
          {isOwnFile ? 'Its data go with it; the server keeps all below deleted/.' : 'Its store stays as it is.'}
        </p>
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
