import { useQuery } from '@tanstack/react-query'
import { Pencil, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { environments } from '../../api/queries'
import type { Environment } from '../../api/types'
import { viewOf } from '../../logic/view'
import { Badge } from '../../ui/Badge'
import { Button, IconButton } from '../../ui/Button'
import { Dialog, DialogActions } from '../../ui/Dialog'
import { ErrorNotice } from '../../ui/Notice'
import { Cell, Table, unseen } from '../../ui/Table'
import { setView } from '../url-state'
import { EnvironmentEditor } from './EnvironmentEditor'
import styles from './environments.module.css'
import { RemoveEnvironment } from './RemoveEnvironment'
import { toneOf } from './tone'

interface EnvironmentsDialogProps {
  application: string
  title: string
  onClose: () => void
}

type Shown = { does: 'list' } | { does: 'add' } | { does: 'change' | 'remove'; environment: Environment }

const LIST: Shown = { does: 'list' }

/** The environments of an application: where each keeps its data, and what can be done with it. */
export function EnvironmentsDialog({ application, title, onClose }: EnvironmentsDialogProps) {
  const { data, error } = useQuery(environments(application))
  const [shown, setShown] = useState<Shown>(LIST)
  const back = () => setShown(LIST)
  if (shown.does === 'add' || shown.does === 'change')
    return (
      <EnvironmentEditor
        application={application}
        environment={shown.does === 'change' ? shown.environment : null}
        onDone={back}
        onClose={onClose}
      />
    )
  if (shown.does === 'remove')
    return (
      <RemoveEnvironment
        application={application}
        environment={shown.environment}
        others={(data ?? []).filter(({ id }) => id !== shown.environment.id)}
        onDone={back}
        onClose={onClose}
      />
    )
  const go = (environment: string) => {
    onClose()
    setView(viewOf(application, environment))
  }
  return (
    <Dialog key="list" title={`Environments of ${title}`} onClose={onClose}>
      {error ? <ErrorNotice error={error} /> : null}
      {data ? (
        <Table label="Environments" columns={['Environment', 'Store', unseen('Actions')]}>
          {data.map((environment) => (
            <Row
              key={environment.id}
              environment={environment}
              isLast={data.length === 1}
              onOpen={() => go(environment.id)}
              onAsk={(does) => setShown({ does, environment })}
            />
          ))}
        </Table>
      ) : null}
      <DialogActions>
        <Button icon={<Plus size={14} aria-hidden />} onClick={() => setShown({ does: 'add' })}>
          Add environment
        </Button>
      </DialogActions>
    </Dialog>
  )
}

interface RowProps {
  environment: Environment
  isLast: boolean
  onOpen: () => void
  onAsk: (does: 'change' | 'remove') => void
}

function Row({ environment, isLast, onOpen, onAsk }: RowProps) {
  const { title, colour, store, problem } = environment
  return (
    <tr>
      <th scope="row">
        <Badge tone={toneOf(colour)}>{title}</Badge>
      </th>
      <Cell className={styles['store']}>
        {problem ?? (store?.url === 'embedded' ? 'A file of its own' : <code>{store?.url}</code>)}
        {store?.is_confirmed === false ? ' (not connected until its store is saved here)' : null}
      </Cell>
      <Cell className={styles['actions']}>
        <Button size="small" look="quiet" aria-label={`Open ${title}`} onClick={onOpen}>
          Open
        </Button>
        <IconButton label={`Change ${title}`} size="small" disabled={problem !== null} onClick={() => onAsk('change')}>
          <Pencil size={13} aria-hidden />
        </IconButton>
        <IconButton
          label={isLast ? `${title} is the last one, and stays` : `Remove ${title}`}
          size="small"
          disabled={isLast}
          onClick={() => onAsk('remove')}
        >
          <Trash2 size={13} aria-hidden />
        </IconButton>
      </Cell>
    </tr>
  )
}
