import type { Query } from '../../api/types'
import type { Step } from '../../logic/schema-diagram'
import styles from './diagram.module.css'

/** The steps of the query in order: the table, the index, and what the step adds to the bound. */
export function Steps({ query, steps }: { query: Query; steps: readonly Step[] }) {
  if (steps.length === 0) return <p className={styles['hint']}>{query.name} cannot be understood far enough.</p>
  return (
    <ol className={styles['steps']} aria-label={`Steps of ${query.name}`}>
      {steps.map((step) => (
        <li key={step.number} className={styles['step']} data-unbounded={step.isUnbounded}>
          <StepNumber step={step} />
          <span>
            <b>{step.table}</b> {step.index ? <span className={styles['by']}>by {step.index} </span> : null}
            {step.longText}
          </span>
        </li>
      ))}
    </ol>
  )
}

/** The number of a step in its ring. */
export function StepNumber({ step }: { step: Step }) {
  return (
    <span className={styles['number']} data-unbounded={step.isUnbounded}>
      <span className="visually-hidden">step </span>
      {step.number}
    </span>
  )
}
