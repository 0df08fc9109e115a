import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiError, answered, api, messageOf } from '../../api/client'
import { ENVIRONMENT } from '../../api/environment'
import { build, deployments, preview } from '../../api/queries'
import type { Preview } from '../../api/types'
import { useFileChanges } from '../../app/live-text'
import { useChosenRun } from '../../app/predictions'
import { useEnvironment, useView } from '../../app/url-state'
import { useCompilationState } from '../../documents/compile-loop'
import { sourceFiles, useDocuments } from '../../documents/documents'
import { applicationQuery } from '../../documents/opening'
import { saveChanged, savedRevisions } from '../../documents/saving'
import { isUnderWay } from '../../logic/build'
import { type Agreed, type DeployFacts, deployState, queryCount, type Refusal } from '../../logic/deploy-state'
import { plural } from '../../units'
import { BuildState, useTellLive } from './BuildState'
import { Draft } from './Draft'
import styles from './deploy.module.css'
import { Versions } from './Versions'

const NOTHING_AGREED: Agreed = { toRemove: false, toReplace: false }

/** The next deployment with what it changes, the version that is being built, and all versions before. */
export default function DeployPanel() {
  return (
    <div className={styles['panel']}>
      <NextDeployment />
      <BuildState />
      <Versions />
    </div>
  )
}

/** Gathers the facts about the next deployment; logic/deploy-state.ts decides what is shown, and `Draft` draws it. */
function NextDeployment() {
  const environment = useEnvironment()
  const latest = useChosenRun()
  const [chosen, setChosen] = useState<string>()
  const runId = chosen ?? latest?.id ?? ''
  const textVersion = useDocuments((state) => state.version)
  const { files, version: compiled } = useCompilationState()
  const { data, error, isPlaceholderData } = useQuery({
    ...preview(environment, compiled, files, latest?.id ?? null),
    enabled: compiled >= 0,
  })
  const { data: versions } = useInfiniteQuery(deployments(environment))
  const { data: coming } = useQuery(build(environment))
  const live = versions?.find((version) => version.is_live)
  const changes = useFileChanges()
  const [agreed, setAgreed] = useState(NOTHING_AGREED)
  const staleFiles = useStaleFiles()
  const removes = removedOf(data, agreed)
  const { deploy, refusal } = useDeploy(data, agreed, removes, runId, () => setAgreed(NOTHING_AGREED))
  const facts: DeployFacts = {
    textVersion,
    preview: data ?? null,
    previewOf: isPlaceholderData ? -1 : compiled,
    previewError: error && !data ? messageOf(error) : null,
    changedFiles: changes?.map(({ path }) => path) ?? null,
    staleFiles,
    nextVersion: Math.max(0, ...(versions ?? []).map(({ version }) => version)) + 1,
    agreed,
    isOtherRun: (runId || null) !== (live?.run_id ?? null),
    isDeploying: deploy.isPending,
    isBuilding: coming ? isUnderWay(coming) : false,
    refusal,
  }
  return (
    <Draft
      state={deployState(facts)}
      preview={data ?? null}
      files={changes ?? []}
      agreed={agreed}
      onAgree={setAgreed}
      runId={runId}
      onChooseRun={setChosen}
      removes={removes}
      onDeploy={() => deploy.mutate()}
    />
  )
}

/**
 * The mutation that saves all texts and starts their deployment, and the refusal of the last one. `seenPreview` is what
 * the reader has seen and agreed to: the server refuses if another version has become live since.
 */
function useDeploy(
  seenPreview: Preview | undefined,
  agreed: Agreed,
  removes: string[],
  runId: string,
  onStarted: () => void,
) {
  const environment = useEnvironment()
  const { application } = useView()
  const queryClient = useQueryClient()
  const tellLive = useTellLive()
  const [refusal, setRefusal] = useState<Refusal | null>(null)
  const deploy = useMutation({
    mutationFn: async () => {
      await saveChanged()
      const base_revisions = savedRevisions()
      if (!base_revisions) throw new Error('Not everything that is typed here could be saved; nothing is deployed.')
      const base = seenPreview ? { base_version: seenPreview.base_version } : {}
      const body = { files: sourceFiles(), run_id: runId || null, removes, base_revisions, ...base }
      return answered(api.POST(`${ENVIRONMENT}/deployments/builds`, { params: { path: environment }, body }))
    },
    onMutate: () => setRefusal(null),
    onSuccess: (started) => {
      queryClient.setQueryData(build(environment).queryKey, started)
      onStarted()
      if (started.deployment_id && seenPreview) {
        const queries = plural(queryCount(seenPreview, agreed), 'query', 'queries')
        tellLive(`Version ${started.deployment_id.slice(1)} is live with ${queries}.`)
      }
    },
    onError: (failure) => {
      setRefusal({
        message: messageOf(failure),
        help: failure instanceof ApiError ? failure.help : null,
        textVersion: useDocuments.getState().version,
      })
      void queryClient.invalidateQueries({ queryKey: deployments(environment).queryKey })
      void queryClient.invalidateQueries({ queryKey: applicationQuery(application).queryKey })
    },
  })
  return { deploy, refusal }
}

/** The queries of others that the reader agreed to remove or to replace. */
function removedOf(seen: Preview | undefined, agreed: Agreed): string[] {
  const kept = agreed.toRemove ? (seen?.kept ?? []) : []
  const replaced = agreed.toReplace ? (seen?.replaced ?? []) : []
  return [...kept, ...replaced].map(({ query }) => query)
}

/** The files of which the server has a newer text. */
function useStaleFiles(): string[] {
  const files = useDocuments((state) => state.files)
  return files.filter((file) => file.conflict !== null).map(({ path }) => path)
}
