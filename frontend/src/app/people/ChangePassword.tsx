import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { answered, api } from '../../api/client'
import { Button } from '../../ui/Button'
import { TextField } from '../../ui/Field'
import { Form } from '../../ui/Form'
import { ErrorNotice } from '../../ui/Notice'
import { notify } from '../notices'
import { logins, tokens } from './team'
import styles from './team-page.module.css'

/** Changes one's password, confirmed by the present one. */
export function ChangePassword() {
  const titleId = useId()
  const queryClient = useQueryClient()
  const [password, setPassword] = useState('')
  const [wished, setWished] = useState('')
  const change = useMutation({
    mutationFn: () => answered(api.PUT('/api/session/password', { body: { password, new_password: wished } })),
    onSuccess: () => {
      setPassword('')
      setWished('')
      notify({ tone: 'success', text: 'You have another password. This browser stays signed in.' })
      void queryClient.invalidateQueries({ queryKey: tokens.queryKey })
      return queryClient.invalidateQueries({ queryKey: logins.queryKey })
    },
  })
  const isWhole = password !== '' && wished !== ''
  return (
    <section className={styles['section']} aria-labelledby={titleId}>
      <h2 id={titleId}>Password</h2>
      <Form className={styles['form']} onSubmit={() => isWhole && change.mutate()}>
        <TextField
          label="Current password"
          type="password"
          autoComplete="current-password"
          maxLength={1000}
          value={password}
          onChange={(event) => setPassword(event.target.value)}
        />
        <TextField
          label="New password"
          hint="12 characters at least"
          type="password"
          autoComplete="new-password"
          maxLength={1000}
          value={wished}
          onChange={(event) => setWished(event.target.value)}
        />
        <p className={styles['soft']}>All your other sessions and all your API tokens end.</p>
        {change.error ? <ErrorNotice error={change.error} /> : null}
        <div>
          <Button type="submit" look="primary" disabled={!isWhole || change.isPending}>
            Change password
          </Button>
        </div>
      </Form>
    </section>
  )
}
