import { useOwnGrid } from '../../app/grid-request'
import { DIMENSIONS, type Dimension, levelsError, type TypedGrid } from '../../logic/own-grid'
import { TextField } from '../../ui/Field'
import styles from './profile.module.css'

const OPERATORS = [...new Set(DIMENSIONS.map((dimension) => dimension.of))]

/** Fields for the levels of each dimension, by operator; an operator without levels is not measured. */
export function OwnGrid({ typed }: { typed: TypedGrid }) {
  const change = (name: Dimension, text: string) => useOwnGrid.setState({ typed: { ...typed, [name]: text } })
  return (
    <fieldset className={styles['ownGrid']}>
      <legend className="visually-hidden">Levels of the grid</legend>
      {OPERATORS.map((operator) => (
        <div key={operator} role="group" aria-label={operator} className={styles['operator']}>
          <span className={styles['operatorName']}>{operator}</span>
          <div className={styles['dimensions']}>
            {DIMENSIONS.filter((dimension) => dimension.of === operator).map(({ name, label }) => (
              <TextField
                key={name}
                label={label}
                placeholder={name === 'columns' ? '1' : 'not measured'}
                value={typed[name]}
                error={levelsError(name, typed[name])}
                onChange={(event) => change(name, event.target.value)}
              />
            ))}
          </div>
        </div>
      ))}
    </fieldset>
  )
}
