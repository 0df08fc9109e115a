import { useQuery } from '@tanstack/react-query'
import { session } from '../../api/session'
import { ChangePassword } from './ChangePassword'
import { Logins } from './Logins'
import { TeamPage } from './TeamPage'
import { Tokens } from './Tokens'

/** One's own account: sessions, API tokens, and the password of who has shown one. */
export default function AccountPage() {
  const { data } = useQuery(session)
  const knownBy = data?.person?.known_by
  return (
    <TeamPage title="Your account">
      {knownBy === 'proxy' ? null : <Logins />}
      <Tokens />
      {knownBy === 'password' ? <ChangePassword /> : null}
    </TeamPage>
  )
}
