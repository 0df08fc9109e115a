import { useQuery } from '@tanstack/react-query'
import { UserPlus } from 'lucide-react'
import { useState } from 'react'
import { isAdministrator, session } from '../../api/session'
import type { Member } from '../../api/types'
import { recordOf } from '../../logic/view'
import { Badge } from '../../ui/Badge'
import { Button } from '../../ui/Button'
import { ErrorNotice } from '../../ui/Notice'
import { Cell, Table, unseen } from '../../ui/Table'
import { formatDay } from '../../units'
import { ViewLink } from '../ViewLink'
import { AddPerson } from './AddPerson'
import { ChangePerson, type PersonChange } from './ChangePerson'
import { ChangeRole } from './ChangeRole'
import { TeamPage } from './TeamPage'
import { people, placeOf } from './team'
import styles from './team-page.module.css'

type Asked = { member: Member; change: PersonChange | 'roles' } | 'add' | null

/** The people of a team with their roles, for who administers everything. */
export default function PeoplePage() {
  const { data: visit } = useQuery(session)
  const { data, error } = useQuery({ ...people, enabled: Boolean(visit?.person && isAdministrator(visit.person)) })
  const [asked, setAsked] = useState<Asked>(null)
  const close = () => setAsked(null)
  return (
    <TeamPage
      title="People"
      isForAdministrators
      actions={
        <Button look="primary" icon={<UserPlus size={14} aria-hidden />} onClick={() => setAsked('add')}>
          Add a person
        </Button>
      }
    >
      {error && !data ? <ErrorNotice error={error} /> : null}
      {data ? (
        <Table label="People" columns={['Name', 'Role', 'In', 'Last seen', 'Done', unseen('Actions')]}>
          {data.map((member) => (
            <PersonRow key={member.name} member={member} onAsk={(change) => setAsked({ member, change })} />
          ))}
        </Table>
      ) : null}
      {asked === 'add' ? <AddPerson onClose={close} /> : null}
      {asked !== null && asked !== 'add' ? (
        asked.change === 'roles' ? (
          <ChangeRole member={asked.member} onClose={close} />
        ) : (
          <ChangePerson member={asked.member} change={asked.change} onClose={close} />
        )
      ) : null}
    </TeamPage>
  )
}

function PersonRow({ member, onAsk }: { member: Member; onAsk: (change: PersonChange | 'roles') => void }) {
  const { name, roles, is_disabled, seen_at } = member
  const action = (change: PersonChange | 'roles', text: string) => (
    <Button size="small" look="quiet" aria-label={`${text}: ${name}`} onClick={() => onAsk(change)}>
      {text}
    </Button>
  )
  return (
    <tr>
      <th scope="row">
        {name} {is_disabled ? <Badge tone="warning">shut out</Badge> : null}
      </th>
      <Cell>
        <ul className={styles['roles']}>
          {roles.map(({ application, role }) => (
            <li key={application ?? ''}>{role}</li>
          ))}
          {roles.length === 0 ? <li className={styles['soft']}>no role</li> : null}
        </ul>
      </Cell>
      <Cell>
        <ul className={styles['roles']}>
          {roles.map(({ application }) => (
            <li key={application ?? ''}>{placeOf(application)}</li>
          ))}
        </ul>
      </Cell>
      <Cell className={styles['moment']}>{seen_at ? formatDay(seen_at) : 'never'}</Cell>
      <Cell>
        <ViewLink to={recordOf({ person: name })} aria-label={`Record of ${name}`}>
          Record
        </ViewLink>
      </Cell>
      <Cell>
        <div className={styles['actions']}>
          {action('roles', 'Roles')}
          {action('password', 'Reset password')}
          {action('sign-out', 'Sign out')}
          {is_disabled ? action('let-in', 'Let in again') : action('shut-out', 'Shut out')}
        </div>
      </Cell>
    </tr>
  )
}
