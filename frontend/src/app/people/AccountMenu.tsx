import { useMutation, useQuery } from '@tanstack/react-query'
import { UserRound } from 'lucide-react'
import { useId } from 'react'
import { isAdministrator, session, signOut } from '../../api/session'
import { teamPageOf } from '../../logic/view'
import { Button, IconButton } from '../../ui/Button'
import { ErrorNotice } from '../../ui/Notice'
import headerStyles from '../header.module.css'
import { ViewLink } from '../ViewLink'
import styles from './people.module.css'

/** Who is signed in, with their roles, and the way out; nothing where somebody is alone. */
export function AccountMenu() {
  const id = useId()
  const { data } = useQuery(session)
  const leave = useMutation({ mutationFn: signOut, onSuccess: () => location.reload() })
  if (!data?.person) return null
  const { name, roles, known_by } = data.person
  return (
    <>
      <IconButton label={`Account of ${name}`} className={headerStyles['menuButton']} popoverTarget={id}>
        <UserRound size={16} aria-hidden />
      </IconButton>
      <div id={id} popover="auto" role="dialog" aria-label="Account" className={headerStyles['menu']}>
        <div className={styles['account']}>
          <strong>{name}</strong>
          <ul className={styles['roles']} aria-label="Roles">
            {roles.map(({ application, role }) => (
              <li key={application ?? ''}>
                {role} in {application ?? 'all applications'}
              </li>
            ))}
            {roles.length === 0 ? <li>no role yet: an administrator gives one</li> : null}
          </ul>
        </div>
        {/* The keyboard has Escape. */}
        {/* oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-static-element-interactions */}
        <div className={styles['pages']} onClick={() => document.getElementById(id)?.hidePopover()}>
          <ViewLink to={teamPageOf('account')}>Your account</ViewLink>
          {isAdministrator(data.person) ? (
            <>
              <ViewLink to={teamPageOf('people')}>People</ViewLink>
              <ViewLink to={teamPageOf('record')}>Record</ViewLink>
            </>
          ) : null}
        </div>
        {leave.error ? <ErrorNotice error={leave.error} /> : null}
        {known_by === 'proxy' ? (
          <p className={styles['note']}>
            The proxy in front of this workbench signs you in, with every request. Sign out there.
          </p>
        ) : (
          <>
            {known_by === 'provider' ? (
              <p className={styles['note']}>You stay signed in at the provider that signed you in here.</p>
            ) : null}
            <Button onClick={() => leave.mutate(false)}>Sign out</Button>
            <Button onClick={() => leave.mutate(true)}>Sign out everywhere</Button>
          </>
        )}
      </div>
    </>
  )
}
