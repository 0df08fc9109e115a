import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Rocket } from 'lucide-react'
import { deployments, profileRuns } from '../../api/queries'
import type { Deployment } from '../../api/types'
import { setView, useEnvironment } from '../../app/url-state'
import { deployerText } from '../../logic/request-words'
import { runName } from '../../logic/run-name'
import { Badge } from '../../ui/Badge'
import { Button } from '../../ui/Button'
import { EmptyState } from '../../ui/EmptyState'
import { ErrorNotice } from '../../ui/Notice'
import { Cell, numeric, Table, unseen } from '../../ui/Table'
import { formatCount, formatDay } from '../../units'
import styles from './deploy.module.css'
import { Promote } from './Promote'
import { RollBack } from './RollBack'

/** The table of all deployed versions, the newest first, with buttons to roll back and to see latencies. */
export function Versions() {
  const environment = useEnvironment()
  const {
    data: versions,
    error,
    hasNextPage,
    isFetchingNextPage,
    fetchNextPage,
  } = useInfiniteQuery(deployments(environment))
  const { data: runs } = useQuery(profileRuns(environment))
  const predictedFrom = ({ run_id }: Deployment) => {
    const run = runs?.find((profileRun) => profileRun.id === run_id)
    return run_id === null ? 'none' : run ? runName(run) : run_id
  }
  return (
    <section className={styles['versions']} aria-label="Deployments">
      <h2 className={styles['heading']}>Deployments</h2>
      {error ? <ErrorNotice error={error} /> : null}
      {versions?.length === 0 ? (
        <EmptyState icon={<Rocket size={22} aria-hidden />} title="Nothing is deployed yet">
          A deployment is a version of all queries, each with its bound. Programs run the live one by name.
        </EmptyState>
      ) : null}
      {versions && versions.length > 0 ? (
        <Table
          label="Deployments"
          columns={['Version', 'Deployed', numeric('Queries'), 'Predictions', unseen('Actions')]}
        >
          {versions.map((version) => (
            <tr key={version.id}>
              <Cell>
                <span className={styles['version']}>
                  {version.version} {version.is_live ? <Badge tone="accent">live</Badge> : null}
                </span>
              </Cell>
              <Cell>
                <span className={styles['when']}>{formatDay(version.created_at)}</span>
                <span className={styles['who']}>{deployerText(version, environment.application)}</span>
              </Cell>
              <Cell isNumeric>{formatCount(version.queries.length)}</Cell>
              <Cell>{predictedFrom(version)}</Cell>
              <Cell>
                <span className={styles['actions']}>
                  {version.is_live ? <Promote version={version.version} /> : null}
                  {version.is_before ? <RollBack version={version.version} /> : null}
                  <Button
                    size="small"
                    look="quiet"
                    aria-label={`Latencies of version ${version.version}`}
                    onClick={() =>
                      setView({ panel: 'dashboard', deployment: version.is_live ? undefined : version.id })
                    }
                  >
                    Latencies
                  </Button>
                </span>
              </Cell>
            </tr>
          ))}
        </Table>
      ) : null}
      {hasNextPage ? (
        <Button disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Show earlier versions
        </Button>
      ) : null}
    </section>
  )
}
