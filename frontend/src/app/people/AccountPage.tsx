import { ChangePassword } from './ChangePassword'
import { Logins } from './Logins'
import { TeamPage } from './TeamPage'
import { Tokens } from './Tokens'

/** One's own account: password, sessions, API tokens. */
export default function AccountPage() {
  return (
    <TeamPage title="Your account">
      <Logins />
      <Tokens />
      <ChangePassword />
    </TeamPage>
  )
}
