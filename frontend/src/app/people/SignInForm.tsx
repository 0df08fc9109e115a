import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { signIn } from '../../api/session'
import { Button } from '../../ui/Button'
import { TextField } from '../../ui/Field'
import { Form } from '../../ui/Form'
import { ErrorNotice } from '../../ui/Notice'
import styles from './people.module.css'

interface SignInFormProps {
  name: string
  /** There is a way before this one, whose button is the one that stands out. */
  isSecond?: boolean
  onSame?: () => void
}

/**
 * Asks for a name and a password. Afterwards the page is loaded anew, so that nothing of somebody else stays in it; the
 * person who was signed in before goes on in it by `onSame`.
 */
export function SignInForm({ name: known, isSecond = false, onSame }: SignInFormProps) {
  const [name, setName] = useState(known)
  const [password, setPassword] = useState('')
  const attempt = useMutation({
    mutationFn: () => signIn(name.trim(), password),
    onSuccess: ({ person }) => (onSame && person?.name === known ? onSame() : location.reload()),
  })
  const isWhole = name.trim() !== '' && password !== ''
  return (
    <Form className={styles['form']} onSubmit={() => isWhole && attempt.mutate()}>
      <TextField
        label="Name"
        autoComplete="username"
        autoCapitalize="none"
        maxLength={200}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <TextField
        label="Password"
        type="password"
        autoComplete="current-password"
        maxLength={1000}
        value={password}
        onChange={(event) => setPassword(event.target.value)}
      />
      {attempt.error ? <ErrorNotice error={attempt.error} /> : null}
      <Button
        type="submit"
        look={isSecond ? 'plain' : 'primary'}
        disabled={!isWhole || attempt.isPending || attempt.isSuccess}
      >
        {attempt.isPending ? 'Signing in…' : 'Sign in'}
      </Button>
    </Form>
  )
}
