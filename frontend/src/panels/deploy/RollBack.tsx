import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Undo2 } from 'lucide-react'
import { useState } from 'react'
import { answered, api } from '../../api/client'
import { ENVIRONMENT } from '../../api/environment'
import { deployments, rollbackPreview } from '../../api/queries'
import type { Deployment } from '../../api/types'
import { useEnvironment } from '../../app/url-state'
import { isUnchanged } from '../../logic/deploy-state'
import { Button } from '../../ui/Button'
import { Dialog, DialogActions } from '../../ui/Dialog'
import { ErrorNotice } from '../../ui/Notice'
import { useTellLive } from './BuildState'
import { Changes } from './Changes'
import styles from './deploy.module.css'

/** A button that rolls back to an earlier version, after a dialog has shown what that changes. */
export function RollBack({ version }: { version: number }) {
  const [isAsking, setAsking] = useState(false)
  return (
    <>
      <Button
        size="small"
        look="quiet"
        icon={<Undo2 size={12} aria-hidden />}
        aria-label={`Roll back to version ${version}`}
        title="Shows what it changes first; all rows stay"
        onClick={() => setAsking(true)}
      >
        Roll back
      </Button>
      {isAsking ? <Confirmation version={version} onClose={() => setAsking(false)} /> : null}
    </>
  )
}

function Confirmation({ version, onClose }: { version: number; onClose: () => void }) {
  const environment = useEnvironment()
  const queryClient = useQueryClient()
  const tellLive = useTellLive()
  const { data: preview, error } = useQuery(rollbackPreview(environment))
  const { data: versions } = useInfiniteQuery(deployments(environment))
  const live = versions?.find((deployment) => deployment.is_live)?.version
  const rollBack = useMutation({
    mutationFn: (base_version: number) =>
      answered(
        api.POST(`${ENVIRONMENT}/deployments/rollback`, { params: { path: environment }, body: { base_version } }),
      ),
    onSuccess: (deployment) => {
      onClose()
      tellLive(`Version ${deployment.version} is live: version ${version} again, with all rows as they are.`)
    },
    onError: () => void queryClient.invalidateQueries({ queryKey: deployments(environment).queryKey }),
  })
  return (
    <Dialog title={`Roll back to version ${version}?`} onClose={onClose}>
      <div className={styles['asked']}>
        <p>It becomes a new version with the queries of version {version}; all rows stay as they are.</p>
        {preview ? (
          isUnchanged(preview) ? (
            <p>No query, index or bound changes.</p>
          ) : (
            <Changes
              changes={preview}
              columns={['Live', 'Deployed']}
              p99Before={p99Of(versions, live)}
              p99After={p99Of(versions, version)}
            />
          )
        ) : null}
        {error ? <ErrorNotice error={error} /> : null}
        {rollBack.error ? <ErrorNotice error={rollBack.error} /> : null}
      </div>
      <DialogActions>
        <Button onClick={onClose}>Keep what is live</Button>
        <Button
          look="danger"
          disabled={!preview || rollBack.isPending}
          onClick={() => preview && rollBack.mutate(preview.base_version)}
        >
          Roll back
        </Button>
      </DialogActions>
    </Dialog>
  )
}

/** The predictions that were stored when a version was deployed, by query. */
function p99Of(
  versions: readonly Deployment[] | undefined,
  version: number | undefined,
): ReadonlyMap<string, number | null> {
  const queries = versions?.find((deployment) => deployment.version === version)?.queries ?? []
  return new Map(queries.map((query) => [query.name, query.predicted_p99_ms]))
}
