import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { experiments } from '../../api/experiment-queries'
import { experimentsOf, guideOf } from '../../logic/view'
import { EmptyState } from '../../ui/EmptyState'
import { ErrorNotice } from '../../ui/Notice'
import { ListPage } from '../ListPage'
import { useView } from '../url-state'
import { ViewLink } from '../ViewLink'
import { ExperimentList } from './ExperimentList'
import styles from './experiments.module.css'
import { OneExperiment } from './OneExperiment'
import { StoreChoice } from './StoreChoice'

/** What the papers claim, run here: the list of experiments, or the one that the address names. */
export default function ExperimentsPage() {
  const { experiment: name } = useView()
  const { data, error } = useQuery(experiments)
  const [runOn, setRunOn] = useState('')
  const one = data?.find((experiment) => experiment.name === name)
  return (
    <ListPage
      name="Experiments"
      title={one?.title ?? 'Experiments'}
      actions={name === undefined ? null : <ViewLink to={experimentsOf()}>All experiments</ViewLink>}
    >
      {error ? <ErrorNotice error={error} /> : null}
      {data === undefined ? (
        error ? null : (
          <EmptyState title="Reading the experiments…" />
        )
      ) : one ? (
        <OneExperiment experiment={one} runOn={runOn} onStore={setRunOn} />
      ) : name === undefined ? (
        <>
          <p className={styles['lead']}>
            The papers behind PIQL make claims. Each experiment runs some of them on this server, or on a store that you
            choose, and says whether they were found here, too.{' '}
            <ViewLink to={guideOf('experiments')}>What the verdicts mean</ViewLink>
          </p>
          <StoreChoice value={runOn} onChange={setRunOn} />
          <ExperimentList experiments={data} runOn={runOn} />
        </>
      ) : (
        <EmptyState title={`There is no experiment ${name}`} />
      )}
    </ListPage>
  )
}
