import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Pause, Play, X } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { answered, api } from '../../api/client'
import { ENVIRONMENT, keyOf } from '../../api/environment'
import { build as buildQuery, deployments } from '../../api/queries'
import type { Build } from '../../api/types'
import { notify } from '../../app/notices'
import { useEnvironment } from '../../app/url-state'
import { useDocuments } from '../../documents/documents'
import { describeBuild, isRefusalOfNow, isUnderWay, type SeenRefusal, shareDone } from '../../logic/build'
import { Button } from '../../ui/Button'
import { ErrorNotice, Notice } from '../../ui/Notice'
import { Progress } from '../../ui/Progress'
import { Prose } from '../../ui/Prose'
import styles from './deploy.module.css'

/** A function that says in a notice that another version is live, and has what depends on it read again. */
export function useTellLive(): (text: string) => void {
  const environment = useEnvironment()
  const queryClient = useQueryClient()
  return (text) => {
    notify({ tone: 'success', text })
    for (const queryKey of [
      deployments(environment).queryKey,
      keyOf('latency', environment),
      keyOf('sample-parameters', environment),
    ])
      void queryClient.invalidateQueries({ queryKey })
  }
}

/** The build of the next version: its progress with buttons to pause, resume and cancel it, or why it was refused. */
export function BuildState() {
  const environment = useEnvironment()
  const { data: build } = useQuery(buildQuery(environment))
  const tellLive = useTellLive()
  const wasBuilding = useRef(false)
  const isBuilding = build ? isUnderWay(build) : false
  const liveId = build?.deployment_id
  useEffect(() => {
    if (wasBuilding.current && !isBuilding && liveId)
      tellLive(`Version ${liveId.slice(1)} is live: its indexes are complete.`)
    wasBuilding.current = isBuilding
  })
  const textVersion = useDocuments((state) => state.version)
  const seen = useSeenRefusal(build, textVersion)
  const { data: versions } = useInfiniteQuery(deployments(environment))
  const liveSince = versions?.find((version) => version.is_live)?.created_at ?? null
  if (build?.phase === 'refused') {
    if (!isRefusalOfNow(seen, textVersion, liveSince)) return null
    return (
      <Notice tone="danger" role="alert" help="The live version runs on unchanged.">
        <Prose text={build.reason ?? 'The data do not allow it.'} />
      </Notice>
    )
  }
  if (build?.phase === 'canary' || build?.phase === 'closing') {
    return (
      <Notice role="status" help="Nothing else is deployed meanwhile: see its deploy request.">
        {build.phase === 'canary'
          ? 'A version is tried on a share of the executions.'
          : 'A version that was tried was withdrawn: its last executions end.'}
      </Notice>
    )
  }
  return build && isBuilding ? <UnderWay build={build} /> : null
}

/** The refused build with the version of the text at which this page first heard of it. */
function useSeenRefusal(build: Build | null | undefined, textVersion: number): SeenRefusal | null {
  const [seen, setSeen] = useState<SeenRefusal | null>(null)
  const startedAt = build?.phase === 'refused' ? build.started_at : null
  if (startedAt !== null && seen?.startedAt !== startedAt) setSeen({ startedAt, textVersion })
  return seen
}

function UnderWay({ build }: { build: Build }) {
  const environment = useEnvironment()
  const queryClient = useQueryClient()
  const steer = useMutation({
    mutationFn: (action: 'pause' | 'resume' | 'cancel') =>
      answered(api.POST(`${ENVIRONMENT}/deployments/builds/latest/${action}`, { params: { path: environment } })),
    onSuccess: (steered) => queryClient.setQueryData(buildQuery(environment).queryKey, steered),
    onError: () => void queryClient.invalidateQueries({ queryKey: buildQuery(environment).queryKey }),
  })
  const isResting = build.is_paused || !build.is_running
  return (
    <section className={styles['draft']} aria-label="Version on its way">
      <h2 className={styles['heading']}>On its way</h2>
      <Progress label="Progress of the next version" share={shareDone(build)} />
      <p role="status">{describeBuild(build)}</p>
      <p className={styles['soft']}>The live version answers until the new one is complete; writes keep both up.</p>
      <div className={styles['steering']}>
        {isResting ? (
          <Button
            icon={<Play size={13} aria-hidden />}
            disabled={steer.isPending}
            onClick={() => steer.mutate('resume')}
          >
            Resume
          </Button>
        ) : (
          <Button
            icon={<Pause size={13} aria-hidden />}
            disabled={steer.isPending}
            onClick={() => steer.mutate('pause')}
          >
            Pause
          </Button>
        )}
        <Button
          look="danger"
          icon={<X size={13} aria-hidden />}
          disabled={steer.isPending}
          onClick={() => steer.mutate('cancel')}
        >
          Cancel
        </Button>
      </div>
      {steer.error ? <ErrorNotice error={steer.error} /> : null}
    </section>
  )
}
