import type { Experiment } from '../../api/types'
import { countsOf, durationOf } from '../../logic/experiment-words'
import { experimentsOf } from '../../logic/view'
import { formatDay } from '../../units'
import framed from '../framed-list.module.css'
import { ViewLink } from '../ViewLink'
import styles from './experiments.module.css'
import { RunButton } from './RunButton'
import { VerdictBadge } from './VerdictBadge'

/** All experiments in the order of the papers, each with its last verdict and a button that runs it. */
export function ExperimentList({ experiments }: { experiments: readonly Experiment[] }) {
  return (
    <ul className={framed['list']} aria-label="Experiments">
      {experiments.map((experiment) => (
        <li key={experiment.name} className={framed['item']}>
          <div className={styles['row']}>
            <ViewLink to={experimentsOf(experiment.name)} className={styles['title']}>
              {experiment.title}
            </ViewLink>
            <VerdictBadge experiment={experiment} />
            <span className={styles['end']}>
              <RunButton experiment={experiment} />
            </span>
          </div>
          <p>{experiment.about}</p>
          <p className={styles['soft']}>
            {experiment.paper} · {durationOf(experiment)}
            {experiment.ended_at === null ? '' : ` · ${formatDay(experiment.ended_at)} · ${countsOf(experiment)}`}
          </p>
          {experiment.message ? <p className={styles['error']}>{experiment.message}</p> : null}
        </li>
      ))}
    </ul>
  )
}
