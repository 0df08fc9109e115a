import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { ArrowUpFromLine } from 'lucide-react'
import { useState } from 'react'
import { answered, api } from '../../api/client'
import { ENVIRONMENT } from '../../api/environment'
import { deployments, environments, promotionPreview } from '../../api/queries'
import type { Environment, PromotionPreview } from '../../api/types'
import { notify } from '../../app/notices'
import { setView, useEnvironment } from '../../app/url-state'
import { isUnchanged } from '../../logic/deploy-state'
import { viewOf } from '../../logic/view'
import { Button } from '../../ui/Button'
import { Dialog, DialogActions } from '../../ui/Dialog'
import { SelectField } from '../../ui/Field'
import { ErrorNotice, Notice } from '../../ui/Notice'
import { Prose } from '../../ui/Prose'
import { DiagnosticList } from '../problems/ProblemsPanel'
import { Changes } from './Changes'
import styles from './deploy.module.css'
import { Others } from './Others'

/** Deploys what is live here to another environment of the application: what that changes there is seen first. */
export function Promote({ version }: { version: number }) {
  const { application, environment } = useEnvironment()
  const { data } = useQuery(environments(application))
  const [isAsking, setAsking] = useState(false)
  const others = (data ?? []).filter(({ id }) => id !== environment)
  if (others.length === 0) return null
  return (
    <>
      <Button
        size="small"
        look="quiet"
        icon={<ArrowUpFromLine size={12} aria-hidden />}
        aria-label={`Promote version ${version}`}
        title="Deploys it to another environment; shows what it changes there first"
        onClick={() => setAsking(true)}
      >
        Promote
      </Button>
      {isAsking ? <Asked others={others} onClose={() => setAsking(false)} /> : null}
    </>
  )
}

function Asked({ others, onClose }: { others: readonly Environment[]; onClose: () => void }) {
  const source = useEnvironment()
  const queryClient = useQueryClient()
  const [targetId, setTargetId] = useState(others[0]?.id ?? '')
  const [isAgreed, setAgreed] = useState(false)
  const target = { application: source.application, environment: targetId }
  const title = others.find(({ id }) => id === targetId)?.title ?? targetId
  const { data: preview, error } = useQuery(promotionPreview(target, source.environment))
  const promote = useMutation({
    mutationFn: ({ version, base_version, replaced }: PromotionPreview) =>
      answered(
        api.POST(`${ENVIRONMENT}/deployments/promotions`, {
          params: { path: target },
          body: {
            environment: source.environment,
            version,
            base_version,
            removes: isAgreed ? replaced.map(({ query }) => query) : [],
          },
        }),
      ),
    onSuccess: ({ deployment_id }, { version }) => {
      onClose()
      const is = deployment_id ? `live in ${title}, as version ${deployment_id.slice(1)}` : `on its way in ${title}`
      const go = () => setView({ ...viewOf(target.application, target.environment), panel: 'deploy' })
      notify({
        tone: 'success',
        text: `Version ${version} of ${source.environment} is ${is}.`,
        action: { label: `Go to ${title}`, run: go },
      })
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: deployments(target).queryKey }),
  })
  const isBlocked = !preview?.can_deploy || isUnchanged(preview) || (preview.replaced.length > 0 && !isAgreed)
  return (
    <Dialog title={`Promote version ${preview?.version ?? ''}`.trim()} onClose={onClose}>
      <div className={styles['asked']}>
        <SelectField label="To" value={targetId} onChange={(event) => setTargetId(event.target.value)}>
          {others.map(({ id, title: name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </SelectField>
        <p>What is live here is compiled again there, and checked against the rows there; rows are not copied.</p>
        {preview ? <Effects preview={preview} title={title} /> : error ? null : <p role="status">Comparing…</p>}
        {preview ? (
          <Others
            word="replaces"
            tone="danger"
            queries={preview.replaced}
            question="Replace them"
            isAgreed={isAgreed}
            onAgree={setAgreed}
          />
        ) : null}
        {error ? <ErrorNotice error={error} /> : null}
        {promote.error ? <ErrorNotice error={promote.error} /> : null}
      </div>
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button
          look="primary"
          disabled={isBlocked || promote.isPending}
          onClick={() => preview && promote.mutate(preview)}
        >
          Promote to {title}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

/** What a promotion changes, or why nothing can be promoted. */
function Effects({ preview, title }: { preview: PromotionPreview; title: string }) {
  const errors = preview.diagnostics.filter(({ severity }) => severity === 'error')
  if (errors.length > 0) return <DiagnosticList label="Reasons of the refusal" diagnostics={errors} />
  if (preview.refusal)
    return (
      <Notice tone="danger" role="alert">
        <Prose text={preview.refusal} />
      </Notice>
    )
  if (isUnchanged(preview)) return <p>{title} runs the same queries already.</p>
  return <Changes changes={preview} columns={['Live', 'Promoted']} />
}
