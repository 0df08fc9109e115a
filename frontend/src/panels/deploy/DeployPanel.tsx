import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Rocket } from 'lucide-react'
import { useState } from 'react'
import { answered, api, ApiError } from '../../api/client'
import { build, deployments, preview, profileRuns } from '../../api/queries'
import type { Preview } from '../../api/types'
import { useChosenRun } from '../../app/predictions'
import { useView } from '../../app/url-state'
import { useCompilationState } from '../../documents/compile-loop'
import { sourceFiles } from '../../documents/documents'
import { saveChanged } from '../../documents/saving'
import { isUnderWay } from '../../logic/build'
import { runName } from '../../logic/run-name'
import { Button } from '../../ui/Button'
import { EmptyState } from '../../ui/EmptyState'
import { SelectField } from '../../ui/Field'
import { ErrorNotice, Notice } from '../../ui/Notice'
import { Prose } from '../../ui/Prose'
import { plural } from '../../units'
import { DiagnosticList } from '../problems/ProblemsPanel'
import { BuildState, useTellLive } from './BuildState'
import { Changes, isUnchanged } from './Changes'
import { Others } from './Others'
import styles from './deploy.module.css'
import { SlosAtRisk } from './SlosAtRisk'
import { Versions } from './Versions'

/** What deploying would change, why it is refused, and what was deployed before. */
export default function DeployPanel() {
  const { workspace } = useView()
  const version = useCompilationState((state) => state.version)
  const run = useChosenRun()
  const { data, error } = useQuery({ ...preview(version, workspace, sourceFiles, run?.id ?? null), enabled: version >= 0 })
  return (
    <div className={styles['panel']}>
      {error ? <ErrorNotice error={error} /> : null}
      {data ? <Draft preview={data} /> : error ? null : <EmptyState title="Comparing with what is live…" />}
      <BuildState />
      <Versions />
    </div>
  )
}

function Draft({ preview: draft }: { preview: Preview }) {
  const { workspace } = useView()
  const queryClient = useQueryClient()
  const { data: runs } = useQuery(profileRuns)
  const { data: versions } = useQuery(deployments)
  const latest = useChosenRun()
  const tellLive = useTellLive()
  const [chosen, setChosen] = useState<string>()
  const [agreesToRemove, setAgreesToRemove] = useState(false)
  const [agreesToReplace, setAgreesToReplace] = useState(false)
  const agreed = [...(agreesToRemove ? draft.kept : []), ...(agreesToReplace ? draft.replaced : [])].map(({ query }) => query)
  const waitsForAgreement = draft.replaced.length > 0 && !agreesToReplace
  const runId = chosen ?? latest?.id ?? ''
  const deploy = useMutation({
    mutationFn: async () => {
      await saveChanged()
      const body = { workspace_id: workspace, files: sourceFiles(), run_id: runId || null, base_version: draft.base_version, removes: agreed }
      return answered(api.POST('/api/deployments/builds', { body }))
    },
    onError: () => void queryClient.invalidateQueries({ queryKey: deployments.queryKey }),
    onSuccess: (begun) => {
      queryClient.setQueryData(build.queryKey, begun)
      if (begun.deployment_id) tellLive(`Version ${begun.deployment_id.slice(1)} is live with ${plural(countQueries(draft), 'query', 'queries')}.`)
    },
  })
  const { data: coming } = useQuery(build)
  const errors = draft.diagnostics.filter((diagnostic) => diagnostic.severity === 'error')
  const clashes = draft.tables.filter((change) => change.refusal !== null)
  const refusal = deploy.error instanceof ApiError && deploy.error.diagnostics.length > 0 ? deploy.error : null
  const nextVersion = Math.max(0, ...(versions ?? []).map((version) => version.version)) + 1
  return (
    <section className={styles['draft']} aria-label="Next deployment">
      <h2 className={styles['heading']}>What deploying changes</h2>
      {draft.can_deploy && clashes.length > 0 ? (
        <Notice tone="danger" role="alert" help="The data that are live could not be kept. Name the table differently to start anew.">
          Deploying will be refused: {clashes.map((change) => change.table).join(', ')} cannot change like this.
        </Notice>
      ) : draft.refusal !== null ? (
        <Notice tone="danger" role="alert" help="What is live keeps running as it is.">
          Deploying will be refused: <Prose text={draft.refusal} />
        </Notice>
      ) : draft.can_deploy ? (
        <Notice tone={isUnchanged(draft) ? 'plain' : 'accent'} role="status">
          {isUnchanged(draft) ? 'The text is what is live already.' : 'Every query is bounded: this can be deployed.'}
        </Notice>
      ) : (
        <Notice
          tone="danger"
          role="alert"
          help="A deployed set is all or nothing: what is live keeps running as it is."
        >
          Deploying is refused: {plural(errors.length, 'error')}.
        </Notice>
      )}
      <SlosAtRisk preview={draft} />
      <Others
        word="replaces"
        tone="danger"
        queries={draft.replaced}
        question="Replace them"
        isAgreed={agreesToReplace}
        onAgree={setAgreesToReplace}
      />
      <Others word="stays live" tone="info" queries={draft.kept} question="Remove them" isAgreed={agreesToRemove} onAgree={setAgreesToRemove} />
      {draft.can_deploy || draft.refusal !== null ? <Changes preview={draft} /> : <DiagnosticList label="Reasons of the refusal" diagnostics={errors} />}
      <div className={styles['action']}>
        <SelectField label="Predictions from" value={runId} onChange={(event) => setChosen(event.target.value)}>
          <option value="">no profile run</option>
          {(runs ?? [])
            .filter((run) => run.state === 'done')
            .map((run) => (
              <option key={run.id} value={run.id}>
                {runName(run)}
              </option>
            ))}
        </SelectField>
        <Button look={draft.can_deploy && clashes.length === 0 ? 'primary' : 'plain'} icon={<Rocket size={13} aria-hidden />} disabled={deploy.isPending || waitsForAgreement || (coming ? isUnderWay(coming) : false)} onClick={() => deploy.mutate()}>
          Deploy version {nextVersion}
        </Button>
      </div>
      {deploy.error && (draft.can_deploy || !refusal) ? <ErrorNotice error={deploy.error} /> : null}
      {refusal && !draft.can_deploy ? (
        <Notice tone="danger" role="alert" help={refusal.help}>
          <Prose text={refusal.message} />
        </Notice>
      ) : null}
    </section>
  )
}

function countQueries(draft: Preview): number {
  return draft.added.length + draft.changed.length + draft.unchanged.length + draft.kept.length
}
