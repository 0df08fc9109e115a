import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Rocket } from 'lucide-react'
import { deployments, profileRuns } from '../../api/queries'
import { deployRules } from '../../api/request-queries'
import type { Preview } from '../../api/types'
import { PriceBasis } from '../../app/PriceBasis'
import { usePredictions } from '../../app/predictions'
import { usePrices, usePricesOfVersion } from '../../app/prices'
import { useEnvironment } from '../../app/url-state'
import type { Agreed, DeployState, FileChange } from '../../logic/deploy-state'
import { runName } from '../../logic/run-name'
import { Button } from '../../ui/Button'
import { SelectField } from '../../ui/Field'
import { Notice } from '../../ui/Notice'
import { Prose } from '../../ui/Prose'
import { TextDiff } from '../../ui/TextDiff'
import { DiagnosticList } from '../problems/ProblemsPanel'
import { AskForDeployment } from './AskForDeployment'
import { Changes } from './Changes'
import styles from './deploy.module.css'
import { Others } from './Others'
import { SlosAtRisk } from './SlosAtRisk'

interface DraftProps {
  state: DeployState
  preview: Preview | null
  /** The files that differ from the live version. */
  files: readonly FileChange[]
  agreed: Agreed
  onAgree: (agreed: Agreed) => void
  /** The profile run that predictions come from; empty for none. */
  runId: string
  onChooseRun: (id: string) => void
  /** The queries of others that the reader agreed to remove or replace. */
  removes: readonly string[]
  onDeploy: () => void
}

/** Draws the next deployment: the headline, what changes, questions to agree to, and the button that deploys. */
export function Draft({ state, preview, files, agreed, onAgree, runId, onChooseRun, removes, onDeploy }: DraftProps) {
  const { data: rules } = useQuery(deployRules(useEnvironment()))
  const needsRequest = rules?.needs_request ?? false
  const errors = preview?.diagnostics.filter((diagnostic) => diagnostic.severity === 'error') ?? []
  return (
    <section
      className={styles['draft']}
      aria-label="Next deployment"
      aria-busy={state.kind === 'comparing' || state.kind === 'deploying'}
    >
      <h2 className={styles['heading']}>What deploying changes</h2>
      <Notice tone={state.tone} role={state.tone === 'danger' ? 'alert' : 'status'} help={state.help}>
        <Prose text={state.headline} />
      </Notice>
      {preview ? (
        <>
          <SlosAtRisk preview={preview} />
          <Others
            word="replaces"
            tone="danger"
            queries={preview.replaced}
            question="Replace them"
            isAgreed={agreed.toReplace}
            onAgree={(toReplace) => onAgree({ ...agreed, toReplace })}
          />
          <Others
            word="stays live"
            tone="info"
            queries={preview.kept}
            question="Remove them"
            isAgreed={agreed.toRemove}
            onAgree={(toRemove) => onAgree({ ...agreed, toRemove })}
          />
        </>
      ) : null}
      {state.kind === 'errors' ? <DiagnosticList label="Reasons of the refusal" diagnostics={errors} /> : null}
      {state.hasChanges && preview ? <DraftChanges preview={preview} /> : null}
      {state.hasChanges ? <TextDiff files={files} /> : null}
      {state.refusal ? (
        <Notice tone="danger" role="alert" help={state.refusal.help ? <Prose text={state.refusal.help} /> : null}>
          <Prose text={state.refusal.message} />
        </Notice>
      ) : null}
      <div className={styles['action']}>
        <RunChoice runId={runId} onChoose={onChooseRun} />
        <div className={styles['ways']}>
          <AskForDeployment
            isEnabled={state.button.isEnabled}
            isOnlyWay={needsRequest}
            runId={runId}
            removes={removes}
          />
          {needsRequest ? null : (
            <Button
              look={state.button.isPrimary ? 'primary' : 'plain'}
              icon={<Rocket size={13} aria-hidden />}
              disabled={!state.button.isEnabled}
              onClick={onDeploy}
            >
              {state.button.label}
            </Button>
          )}
        </div>
      </div>
    </section>
  )
}

/** The changes, with the predictions of the live version and those of the text. */
function DraftChanges({ preview }: { preview: Preview }) {
  const environment = useEnvironment()
  const { data: versions } = useInfiniteQuery(deployments(environment))
  const predictions = usePredictions()
  const before = new Map(
    versions?.find((version) => version.is_live)?.queries.map((query) => [query.name, query.predicted_p99_ms]),
  )
  const after = new Map([...predictions].map(([name, { typical_p99_ms }]) => [name, typical_p99_ms]))
  const pricesBefore = usePricesOfVersion(versions?.find((version) => version.is_live)?.id)
  const pricesAfter = usePrices()
  return (
    <>
      <Changes
        changes={preview}
        columns={['Live', 'Deployed']}
        p99Before={before}
        p99After={after}
        pricesBefore={pricesBefore.byQuery}
        pricesAfter={pricesAfter.byQuery}
      />
      {preview.bounds_changed.length > 0 ? <PriceBasis report={pricesAfter.report} /> : null}
    </>
  )
}

function RunChoice({ runId, onChoose }: { runId: string; onChoose: (id: string) => void }) {
  const environment = useEnvironment()
  const { data: runs } = useQuery(profileRuns(environment))
  return (
    <SelectField label="Predictions from" value={runId} onChange={(event) => onChoose(event.target.value)}>
      <option value="">no profile run</option>
      {(runs ?? [])
        .filter((run) => run.state === 'done')
        .map((run) => (
          <option key={run.id} value={run.id}>
            {runName(run)}
          </option>
        ))}
    </SelectField>
  )
}
