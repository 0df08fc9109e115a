import type { Experiment } from '../../api/types'
import { countsOf, durationOf, placeOf } from '../../logic/experiment-words'
import { experimentsOf } from '../../logic/view'
import { formatDay } from '../../units'
import framed from '../framed-list.module.css'
import { ViewLink } from '../ViewLink'
import styles from './experiments.module.css'
import { NoStore } from './NoStore'
import { RunButton } from './RunButton'
import { VerdictBadge } from './VerdictBadge'

/** All experiments in the order of the papers, each with its last verdict and a button that runs it on `runOn`. */
export function ExperimentList({ experiments, runOn }: { experiments: readonly Experiment[]; runOn: string }) {
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
              <RunButton experiment={experiment} runOn={runOn} />
            </span>
          </div>
          <p>{experiment.about}</p>
          <p className={styles['soft']}>
            {experiment.paper} · {durationOf(experiment)}
            {experiment.ended_at === null ? '' : ` · ${formatDay(experiment.ended_at)} · ${countsOf(experiment)}`}
            {experiment.store === null ? '' : ` · ${placeOf(experiment.store)}`}
          </p>
          {runOn === '' ? null : <NoStore experiment={experiment} />}
          {experiment.message ? <p className={styles['error']}>{experiment.message}</p> : null}
        </li>
      ))}
    </ul>
  )
}
