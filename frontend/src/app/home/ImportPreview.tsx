import { useEffect, useRef, useState } from 'react'
import type { ApplicationImport } from '../../api/types'
import { importFacts } from '../../logic/application-import'
import { Badge } from '../../ui/Badge'
import { Button } from '../../ui/Button'
import { DialogActions } from '../../ui/Dialog'
import { TextField } from '../../ui/Field'
import { Form } from '../../ui/Form'
import { ErrorNotice } from '../../ui/Notice'
import { Cell, numeric, Table } from '../../ui/Table'
import { formatCount, plural } from '../../units'
import styles from './home.module.css'
import { makeImported } from './import-api'

interface ImportPreviewProps {
  staged: ApplicationImport
  title: string
  onBack: () => void
  onMade: (id: string) => void
}

/** What an application brings that is not there yet: it is made under a name of its own, or not at all. */
export function ImportPreview({ staged, title, onBack, onMade }: ImportPreviewProps) {
  const [name, setName] = useState(title || staged.title)
  const [error, setError] = useState<unknown>()
  const [isMaking, setMaking] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  // What was focused is hidden now.
  useEffect(() => form.current?.querySelector('input')?.focus(), [])
  const make = async () => {
    setMaking(true)
    setError(undefined)
    try {
      onMade((await makeImported(staged.id, name.trim())).id)
    } catch (failure) {
      setError(failure)
      setMaking(false)
    }
  }
  return (
    <Form ref={form} className={styles['form']} onSubmit={() => void make()}>
      <TextField label="Name" value={name} maxLength={100} onChange={(event) => setName(event.target.value)} />
      <p role="status">{importFacts(staged)}</p>
      {staged.environments.length > 0 ? (
        <ul className={styles['list']}>
          {staged.environments.map(({ id, title: shown, store, slos }) => (
            <li key={id}>
              <strong>{shown}</strong>: {store.is_confirmed ? 'a file of its own' : store.url}
              {slos > 0 ? `, ${plural(slos, 'SLO')}` : ''}
              {store.is_confirmed || staged.source === 'keyspace'
                ? null
                : '. Not connected until you save the store of this environment'}
            </li>
          ))}
        </ul>
      ) : null}
      <details>
        <summary>Which files</summary>
        <div className={styles['notes']}>
          <Table label="Files" columns={['File', numeric('Characters')]}>
            {staged.files.map(({ path, characters }) => (
              <tr key={path}>
                <Cell>{path}</Cell>
                <Cell isNumeric>{formatCount(characters)}</Cell>
              </tr>
            ))}
          </Table>
        </div>
      </details>
      {staged.notes.length > 0 ? (
        <div className={styles['notes']}>
          <Table label="Changed and left out" columns={['What', 'Why']}>
            {staged.notes.map(({ what, why, outcome }, index) => (
              <tr key={index}>
                <Cell>{what}</Cell>
                <Cell className={styles['why']}>
                  {outcome ? <Badge tone={outcome === 'left out' ? 'warning' : 'plain'}>{outcome}</Badge> : null} {why}
                </Cell>
              </tr>
            ))}
          </Table>
        </div>
      ) : null}
      {error ? <ErrorNotice error={error} /> : null}
      <DialogActions>
        <Button onClick={onBack}>Back</Button>
        <Button type="submit" look="primary" disabled={isMaking || name.trim() === ''}>
          {isMaking ? 'Creating…' : 'Create'}
        </Button>
      </DialogActions>
    </Form>
  )
}
