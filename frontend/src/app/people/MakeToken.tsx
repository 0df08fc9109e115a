import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { answered, api } from '../../api/client'
import { applications } from '../../api/queries'
import type { Role } from '../../api/types'
import { Button } from '../../ui/Button'
import { Dialog, DialogActions } from '../../ui/Dialog'
import { SelectField, TextField } from '../../ui/Field'
import { Form } from '../../ui/Form'
import { ErrorNotice } from '../../ui/Notice'
import { plural } from '../../units'
import { Secret } from './Secret'
import { ROLES, tokens } from './team'
import styles from './team-page.module.css'

const DAYS = [7, 30, 90, 366]

/** Makes an API token, and shows it once. */
export function MakeToken({ onClose }: { onClose: () => void }) {
  const queryClient = useQueryClient()
  const { data: known } = useQuery(applications)
  const [title, setTitle] = useState('')
  const [application, setApplication] = useState('')
  const [role, setRole] = useState<Role>('viewer')
  const [days, setDays] = useState(90)
  const make = useMutation({
    mutationFn: () =>
      answered(
        api.POST('/api/tokens', { body: { title: title.trim(), role, application: application || null, days } }),
      ),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: tokens.queryKey }),
  })
  if (make.data) {
    return (
      <Dialog title={`The token ${make.data.title}`} onClose={onClose}>
        <div className={styles['form']}>
          <p>
            A program sends it as <code>Authorization: Bearer …</code>
          </p>
          <Secret text={make.data.secret} subject="the token" onClose={onClose} />
        </div>
      </Dialog>
    )
  }
  const isWhole = title.trim() !== ''
  return (
    <Dialog title="New API token" onClose={onClose}>
      <Form className={styles['form']} onSubmit={() => isWhole && make.mutate()}>
        <TextField
          label="Title"
          hint="what it is for"
          maxLength={100}
          value={title}
          onChange={(event) => setTitle(event.target.value)}
        />
        <SelectField label="Application" value={application} onChange={(event) => setApplication(event.target.value)}>
          <option value="">All that you have a role in</option>
          {known?.map(({ id }) => (
            <option key={id}>{id}</option>
          ))}
        </SelectField>
        <SelectField label="Role at most" value={role} onChange={(event) => setRole(event.target.value as Role)}>
          {ROLES.map((value) => (
            <option key={value}>{value}</option>
          ))}
        </SelectField>
        <SelectField label="Ends in" value={days} onChange={(event) => setDays(Number(event.target.value))}>
          {DAYS.map((count) => (
            <option key={count} value={count}>
              {plural(count, 'day')}
            </option>
          ))}
        </SelectField>
        <p className={styles['soft']}>
          {`It may do what you may, as ${role} in ${application || 'your applications'} at most.`}
        </p>
        {make.error ? <ErrorNotice error={make.error} /> : null}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" disabled={!isWhole || make.isPending}>
            Make token
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  )
}
