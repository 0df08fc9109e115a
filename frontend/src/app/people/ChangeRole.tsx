import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { answered, api } from '../../api/client'
import { applications } from '../../api/queries'
import type { Member, Role } from '../../api/types'
import { Button } from '../../ui/Button'
import { Dialog, DialogActions } from '../../ui/Dialog'
import { SelectField } from '../../ui/Field'
import { Form } from '../../ui/Form'
import { ErrorNotice } from '../../ui/Notice'
import { people, placeOf, ROLES } from './team'
import styles from './team-page.module.css'

/** Gives a person another role in an application, or takes it away, and says what that changes. */
export function ChangeRole({ member, onClose }: { member: Member; onClose: () => void }) {
  const queryClient = useQueryClient()
  const { data: known } = useQuery(applications)
  const roleIn = (place: string) => member.roles.find((held) => (held.application ?? '') === place)?.role
  const [application, setApplication] = useState(member.roles[0]?.application ?? '')
  const [role, setRole] = useState<Role | ''>(roleIn(application) ?? '')
  const change = useMutation({
    mutationFn: () =>
      answered(
        api.PUT('/api/people/{person}/role', {
          params: { path: { person: member.name } },
          body: { application: application || null, role: role || null },
        }),
      ),
    onSuccess: () => {
      onClose()
      return queryClient.invalidateQueries({ queryKey: people.queryKey })
    },
  })
  const before = roleIn(application)
  const isChanged = (before ?? '') !== role
  return (
    <Dialog title={`Roles of ${member.name}`} onClose={onClose}>
      <Form className={styles['form']} onSubmit={() => isChanged && change.mutate()}>
        <SelectField
          label="Application"
          value={application}
          onChange={(event) => {
            setApplication(event.target.value)
            setRole(roleIn(event.target.value) ?? '')
          }}
        >
          <option value="">All applications, also those to come</option>
          {known?.map(({ id }) => (
            <option key={id}>{id}</option>
          ))}
        </SelectField>
        <SelectField label="Role" value={role} onChange={(event) => setRole(event.target.value as Role | '')}>
          <option value="">No role</option>
          {ROLES.map((value) => (
            <option key={value}>{value}</option>
          ))}
        </SelectField>
        <p className={styles['soft']}>
          {isChanged
            ? `${member.name} will be ${role || 'nothing'} in ${placeOf(application || null)}, and is ${before ?? 'nothing'} now. It holds at once.`
            : `${member.name} is ${before ?? 'nothing'} in ${placeOf(application || null)}.`}
        </p>
        {change.error ? <ErrorNotice error={change.error} /> : null}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" disabled={!isChanged || change.isPending}>
            Change role
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  )
}
