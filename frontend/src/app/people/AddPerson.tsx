import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { answered, api } from '../../api/client'
import { applications } from '../../api/queries'
import { belowRoot } from '../../api/root'
import type { Role } from '../../api/types'
import { Button } from '../../ui/Button'
import { Dialog, DialogActions } from '../../ui/Dialog'
import { SelectField, TextField } from '../../ui/Field'
import { Form } from '../../ui/Form'
import { ErrorNotice } from '../../ui/Notice'
import { Secret } from './Secret'
import { firstPassword, people, placeOf, ROLES } from './team'
import styles from './team-page.module.css'

/** Adds a person with a role and a password that is made here, and says what they must be told. */
export function AddPerson({ onClose }: { onClose: () => void }) {
  const queryClient = useQueryClient()
  const { data: known } = useQuery(applications)
  const [name, setName] = useState('')
  const [application, setApplication] = useState('')
  const [role, setRole] = useState<Role>('developer')
  const [password] = useState(firstPassword)
  const add = useMutation({
    mutationFn: () =>
      answered(api.POST('/api/people', { body: { name, password, role, application: application || null } })),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: people.queryKey }),
  })
  if (add.data) {
    const message = `${location.origin}${belowRoot('')}\nName: ${add.data.name}\nPassword: ${password}`
    return (
      <Dialog title={`Tell ${add.data.name} this`} onClose={onClose}>
        <div className={styles['form']}>
          <p>They sign in with it, and choose a password of their own in “Your account”.</p>
          <Secret text={message} subject="what they must be told" onClose={onClose} />
        </div>
      </Dialog>
    )
  }
  const isWhole = name.trim() !== ''
  return (
    <Dialog title="Add a person" onClose={onClose}>
      <Form className={styles['form']} onSubmit={() => isWhole && add.mutate()}>
        <TextField
          label="Name"
          hint="letters, figures, . _ @ -"
          autoCapitalize="none"
          maxLength={60}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <SelectField label="Application" value={application} onChange={(event) => setApplication(event.target.value)}>
          <option value="">All applications, also those to come</option>
          {known?.map(({ id }) => (
            <option key={id}>{id}</option>
          ))}
        </SelectField>
        <SelectField label="Role" value={role} onChange={(event) => setRole(event.target.value as Role)}>
          {ROLES.map((value) => (
            <option key={value}>{value}</option>
          ))}
        </SelectField>
        <p className={styles['soft']}>
          {`${name.trim() || 'They'} will be ${role} in ${placeOf(application || null)}, with a first password that is made for them.`}
        </p>
        {add.error ? <ErrorNotice error={add.error} /> : null}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" disabled={!isWhole || add.isPending}>
            Add person
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  )
}
