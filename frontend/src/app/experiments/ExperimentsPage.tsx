import { useQuery } from '@tanstack/react-query'
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

/** What the papers claim, run here: the list of experiments, or the one that the address names. */
export default function ExperimentsPage() {
  const { experiment: name } = useView()
  const { data, error } = useQuery(experiments)
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
        <OneExperiment experiment={one} />
      ) : name === undefined ? (
        <>
          <p className={styles['lead']}>
            The papers behind PIQL make claims. Each experiment runs some of them on this server, without a cluster, and
            says whether they were found here, too.{' '}
            <ViewLink to={guideOf('experiments')}>What the verdicts mean</ViewLink>
          </p>
          <ExperimentList experiments={data} />
        </>
      ) : (
        <EmptyState title={`There is no experiment ${name}`} />
      )}
    </ListPage>
  )
}
