import { useMutation, useQuery } from '@tanstack/react-query'
import { Rocket, Undo2 } from 'lucide-react'
import { answered, api } from '../../api/client'
import { deployments, profileRuns } from '../../api/queries'
import type { Deployment } from '../../api/types'
import { setView } from '../../app/url-state'
import { runName } from '../../logic/run-name'
import { Badge } from '../../ui/Badge'
import { Button } from '../../ui/Button'
import { EmptyState } from '../../ui/EmptyState'
import { ErrorNotice } from '../../ui/Notice'
import { Cell, numeric, Table, unseen } from '../../ui/Table'
import { formatCount, formatDay } from '../../units'
import { useTellLive } from './BuildState'
import styles from './deploy.module.css'

export function Versions() {
  const { data: versions, error } = useQuery(deployments)
  const { data: runs } = useQuery(profileRuns)
  const predictedFrom = ({ run_id }: Deployment) => {
    const run = runs?.find((each) => each.id === run_id)
    return run_id === null ? 'none' : run ? runName(run) : run_id
  }
  const tellLive = useTellLive()
  const before = versions?.find((version) => version.is_before)?.version ?? 0
  const rollBack = useMutation({
    mutationFn: () => answered(api.POST('/api/deployments/rollback')),
    onSuccess: (made) => tellLive(`Version ${made.version} is live: version ${before} again, with all rows as they are.`),
  })
  return (
    <section className={styles['versions']} aria-label="Deployments">
      <h2 className={styles['heading']}>Deployments</h2>
      {error ? <ErrorNotice error={error} /> : null}
      {rollBack.error ? <ErrorNotice error={rollBack.error} /> : null}
      {versions?.length === 0 ? (
        <EmptyState icon={<Rocket size={22} aria-hidden />} title="Nothing is deployed yet">
          A deployment is a version of all queries, each with its bound. Programs run the live one by name.
        </EmptyState>
      ) : null}
      {versions && versions.length > 0 ? (
        <Table label="Deployments" columns={['Version', 'Deployed', numeric('Queries'), 'Predictions', unseen('Actions')]}>
          {versions.map((version) => (
            <tr key={version.id}>
              <Cell>
                <span className={styles['version']}>
                  {version.version} {version.is_live ? <Badge tone="accent">live</Badge> : null}
                </span>
              </Cell>
              <Cell className={styles['when']}>{formatDay(version.created_at)}</Cell>
              <Cell isNumeric>{formatCount(version.queries.length)}</Cell>
              <Cell>{predictedFrom(version)}</Cell>
              <Cell>
                <span className={styles['actions']}>
                  {version.version === before ? (
                    <Button
                      size="small"
                      look="quiet"
                      icon={<Undo2 size={12} aria-hidden />}
                      aria-label={`Roll back to version ${version.version}`}
                      title="Makes a new version of it; all rows stay"
                      disabled={rollBack.isPending}
                      onClick={() => rollBack.mutate()}
                    >
                      Roll back
                    </Button>
                  ) : null}
                  <Button
                    size="small"
                    look="quiet"
                    aria-label={`Latencies of version ${version.version}`}
                    onClick={() => setView({ panel: 'dashboard', deployment: version.is_live ? undefined : version.id })}
                  >
                    Latencies
                  </Button>
                </span>
              </Cell>
            </tr>
          ))}
        </Table>
      ) : null}
    </section>
  )
}
