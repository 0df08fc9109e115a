import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { answered, api } from '../../api/client'
import { ENVIRONMENT } from '../../api/environment'
import { alerts } from '../../api/queries'
import type { SilenceWrite } from '../../api/types'
import { ALERT_KINDS, KIND_WORDS } from '../../logic/alert-words'
import { Button } from '../../ui/Button'
import { Dialog, DialogActions } from '../../ui/Dialog'
import { SelectField, TextField } from '../../ui/Field'
import { Form } from '../../ui/Form'
import { ErrorNotice } from '../../ui/Notice'
import { useEnvironment } from '../url-state'
import styles from './alerts.module.css'

/** What is to be silenced; empty for any kind, and for any query. */
export interface Silenced {
  kind: string
  query: string
}

const TIMES = [
  { minutes: 60, name: '1 hour' },
  { minutes: 240, name: '4 hours' },
  { minutes: 1440, name: '1 day' },
  { minutes: 10_080, name: '1 week' },
  { minutes: 43_200, name: '30 days' },
]

/** Makes a silence: of what, for how long, and why. */
export function MakeSilence({ of, onClose }: { of: Silenced; onClose: () => void }) {
  const environment = useEnvironment()
  const queryClient = useQueryClient()
  const [reason, setReason] = useState('')
  const [minutes, setMinutes] = useState(60)
  const [kind, setKind] = useState(of.kind)
  const [query, setQuery] = useState(of.query)
  const make = useMutation({
    mutationFn: (body: SilenceWrite) =>
      answered(api.POST(`${ENVIRONMENT}/alerts/silences`, { params: { path: environment }, body })),
    onSuccess: () => {
      onClose()
      return queryClient.invalidateQueries({ queryKey: alerts(environment).queryKey })
    },
  })
  const isWhole = reason.trim() !== ''
  const wish: SilenceWrite = {
    minutes,
    reason: reason.trim(),
    kind: ALERT_KINDS.find((known) => known === kind) ?? null,
    query: query.trim() || null,
  }
  return (
    <Dialog title="New silence" onClose={onClose}>
      <Form className={styles['form']} onSubmit={() => isWhole && make.mutate(wish)}>
        <TextField
          label="Reason"
          hint="who reads it later knows why"
          maxLength={500}
          value={reason}
          onChange={(event) => setReason(event.target.value)}
        />
        <SelectField label="For" value={minutes} onChange={(event) => setMinutes(Number(event.target.value))}>
          {TIMES.map((time) => (
            <option key={time.minutes} value={time.minutes}>
              {time.name}
            </option>
          ))}
        </SelectField>
        <SelectField label="Kind" value={kind} onChange={(event) => setKind(event.target.value)}>
          <option value="">any</option>
          {ALERT_KINDS.map((known) => (
            <option key={known} value={known}>
              {KIND_WORDS[known]}
            </option>
          ))}
        </SelectField>
        <TextField
          label="Query"
          hint="empty: all queries"
          maxLength={1000}
          value={query}
          onChange={(event) => setQuery(event.target.value)}
        />
        <p className={styles['soft']}>Nothing of it is sent meanwhile. What is still wrong at the end is sent then.</p>
        {make.error ? <ErrorNotice error={make.error} /> : null}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" disabled={!isWhole || make.isPending}>
            Silence
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  )
}
