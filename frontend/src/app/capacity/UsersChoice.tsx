import { FEWEST_USERS, MOST_USERS, rounded } from '../../logic/capacity-question'
import { formatShort } from '../../logic/capacity-words'
import { NumberField } from './AmountField'
import styles from './capacity.module.css'

/** The number of users that is looked at: a logarithmic slider from 10³ to 10⁹, and a field for any number. */
export function UsersChoice({ users, onChange }: { users: number; onChange: (users: number) => void }) {
  return (
    <div className={styles['users']}>
      <input
        type="range"
        aria-label="Users"
        aria-valuetext={`${formatShort(users)} users`}
        min={Math.log10(FEWEST_USERS)}
        max={Math.log10(MOST_USERS)}
        step={0.05}
        value={Math.log10(users)}
        onChange={({ target }) => onChange(rounded(10 ** Number(target.value)))}
      />
      <NumberField
        label="Number of users"
        value={users}
        onChange={(given) => {
          if (given !== null && given >= 1) onChange(Math.round(given))
        }}
      />
      <div className={styles['scale']} aria-hidden>
        {['1k', '10k', '100k', '1M', '10M', '100M', '1G'].map((mark) => (
          <span key={mark}>{mark}</span>
        ))}
      </div>
    </div>
  )
}
