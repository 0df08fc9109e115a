import { follow, useTogether } from '../../app/together'
import { initials, type Participant } from '../../logic/together'
import styles from './together.module.css'

/** Who else is in the open file, each as a button that follows them; nothing while nobody is. */
export function Together({ path }: { path: string }) {
  const { path: live, state, mayWrite, others, following } = useTogether()
  if (live !== path) return null
  const note = noteOf(state, mayWrite)
  return (
    <div className={styles['together']}>
      {note ? (
        <span className={styles['note']} title={note.title}>
          {note.text}
        </span>
      ) : null}
      {others.length > 0 ? (
        <ul className={styles['people']} aria-label="People here">
          {others.map((person) => (
            <Person key={person.client} person={person} isFollowed={person.tab === following} />
          ))}
        </ul>
      ) : null}
    </div>
  )
}

function Person({ person, isFollowed }: { person: Participant; isFollowed: boolean }) {
  const { name, query, colour, tab } = person
  const where = query ? `${name} is at ${query}` : `${name} is here`
  const label = isFollowed ? `Stop following ${name}` : `Follow ${name}`
  return (
    <li>
      <button
        type="button"
        className={styles['person']}
        data-colour={colour}
        aria-pressed={isFollowed}
        aria-label={label}
        title={`${where}. ${label}`}
        data-initials={initials(name)}
        onClick={() => follow(isFollowed ? null : tab)}
      />
    </li>
  )
}

function noteOf(state: string, mayWrite: boolean): { text: string; title: string } | null {
  if (state === 'away')
    return { text: 'Offline', title: 'What you type is kept here, and merges with the others’ edits at reconnection.' }
  if (state === 'refused')
    return { text: 'Not live', title: 'No live connection: you see what others type once it is saved.' }
  if (!mayWrite) return { text: 'Read only', title: 'To edit this file needs the role developer.' }
  return null
}
