import type { Experiment } from '../../api/types'
import styles from './experiments.module.css'

/** Why an experiment runs without a store of the user; nothing where it takes one. */
export function NoStore({ experiment }: { experiment: Experiment }) {
  if (experiment.not_on_stores === null) return null
  return <p className={styles['soft']}>It takes no store: {experiment.not_on_stores}.</p>
}
