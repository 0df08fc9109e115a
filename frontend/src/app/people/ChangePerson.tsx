import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { answered, api } from '../../api/client'
import type { Member } from '../../api/types'
import { Button } from '../../ui/Button'
import { Dialog, DialogActions } from '../../ui/Dialog'
import { Form } from '../../ui/Form'
import { ErrorNotice } from '../../ui/Notice'
import { Secret } from './Secret'
import { firstPassword, people } from './team'
import styles from './team-page.module.css'

export type PersonChange = 'password' | 'sign-out' | 'shut-out' | 'let-in'

interface ChangePersonProps {
  change: PersonChange
  member: Member
  onClose: () => void
}

/** Asks before a person gets another password, is signed out, shut out, or let in again: says what each does. */
export function ChangePerson({ change, member, onClose }: ChangePersonProps) {
  const { name } = member
  const queryClient = useQueryClient()
  const [password] = useState(firstPassword)
  const { title, does, button, isDanger } = wordsOf(change, name)
  const carryOut = useMutation({
    mutationFn: () => request(change, name, password),
    onSuccess: () => {
      if (change !== 'password') onClose()
      return queryClient.invalidateQueries({ queryKey: people.queryKey })
    },
  })
  if (change === 'password' && carryOut.isSuccess) {
    return (
      <Dialog title={`Tell ${name} this`} onClose={onClose}>
        <div className={styles['form']}>
          <p>They choose a password of their own in “Your account”.</p>
          <Secret text={`Name: ${name}\nPassword: ${password}`} subject="the password" onClose={onClose} />
        </div>
      </Dialog>
    )
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <Form className={styles['form']} onSubmit={() => carryOut.mutate()}>
        <p>{does}</p>
        {carryOut.error ? <ErrorNotice error={carryOut.error} /> : null}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look={isDanger ? 'danger' : 'primary'} disabled={carryOut.isPending}>
            {button}
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  )
}

async function request(change: PersonChange, person: string, password: string): Promise<void> {
  const params = { path: { person } }
  if (change === 'password') await answered(api.PUT('/api/people/{person}/password', { params, body: { password } }))
  else if (change === 'sign-out') await answered(api.DELETE('/api/people/{person}/sessions', { params }))
  else await answered(api.PATCH('/api/people/{person}', { params, body: { is_disabled: change === 'shut-out' } }))
}

function wordsOf(change: PersonChange, name: string) {
  switch (change) {
    case 'password':
      return {
        title: `Another password for ${name}?`,
        does: 'A new one is made. The old one no longer works, and all their sessions and API tokens end at once.',
        button: 'Reset password',
        isDanger: true,
      }
    case 'sign-out':
      return {
        title: `Sign ${name} out everywhere?`,
        does: 'All their sessions end at once. Their API tokens stay, and they may sign in again.',
        button: 'Sign out everywhere',
        isDanger: false,
      }
    case 'shut-out':
      return {
        title: `Shut ${name} out?`,
        does: 'They can no longer sign in, and all their sessions and API tokens end at once. Their roles stay.',
        button: 'Shut out',
        isDanger: true,
      }
    case 'let-in':
      return {
        title: `Let ${name} in again?`,
        does: 'They may sign in with their password, and have the roles they had. Their API tokens do not come back.',
        button: 'Let in again',
        isDanger: false,
      }
  }
}
