import { useQueryClient } from '@tanstack/react-query'
import { FlaskConical } from 'lucide-react'
import { useState } from 'react'
import { answered, api } from '../../api/client'
import { ENVIRONMENT } from '../../api/environment'
import { build } from '../../api/queries'
import type { DeployRequestDetail } from '../../api/types'
import { typedShare, typedThreshold } from '../../logic/canary-words'
import { Button } from '../../ui/Button'
import { Dialog, DialogActions } from '../../ui/Dialog'
import { TextArea, TextField } from '../../ui/Field'
import { ErrorNotice } from '../../ui/Notice'
import { useEnvironment } from '../url-state'
import { useChange } from './change'
import styles from './requests.module.css'

/** The button that tries a request on a share of the executions, and the dialog that asks on which. */
export function TryOut({ request, whyNot }: { request: DeployRequestDetail; whyNot: string | null }) {
  const [isAsking, setAsking] = useState(false)
  return (
    <>
      <Button
        icon={<FlaskConical size={13} aria-hidden />}
        disabled={whyNot !== null}
        title="Executes a part of the calls in the new version before it is live"
        onClick={() => setAsking(true)}
      >
        Try it on a share
      </Button>
      {isAsking ? <TryOutDialog request={request} onClose={() => setAsking(false)} /> : null}
    </>
  )
}

function TryOutDialog({ request, onClose }: { request: DeployRequestDetail; onClose: () => void }) {
  const environment = useEnvironment()
  const queryClient = useQueryClient()
  const [percent, setPercent] = useState('5')
  const [errors, setErrors] = useState('')
  const [burn, setBurn] = useState('')
  const [why, setWhy] = useState('')
  const share = typedShare(percent)
  const errorsPercent = typedThreshold(errors, 0.001, 100)
  const mostBurn = typedThreshold(burn, 1, 1000)
  const begin = useChange(async () => {
    const started = await answered(
      api.POST(`${ENVIRONMENT}/deploy-requests/{number}/canary`, {
        params: { path: { ...environment, number: request.number } },
        body: {
          revision: request.revision,
          share: share ?? 0,
          why: why.trim(),
          thresholds: { errors_percent: errorsPercent ?? null, burn: mostBurn ?? null },
        },
      }),
    )
    queryClient.setQueryData(build(environment).queryKey, started)
  }, onClose)
  const isRight = share !== null && errorsPercent !== undefined && mostBurn !== undefined
  return (
    <Dialog title={`Try request ${request.number} on a share`} onClose={onClose}>
      <div className={styles['form']}>
        <p>
          Its indexes are built first. Then this share of the executions goes to it, each drawn by itself: of the
          workbench, the query service, and clients that take part. The others go to the live version.
        </p>
        <TextField
          label="Share of the executions"
          suffix="%"
          inputMode="decimal"
          value={percent}
          error={share === null ? 'Type a number from 0 to 100.' : undefined}
          onChange={(event) => setPercent(event.target.value)}
        />
        <TextField
          label="Withdraw by itself when more fail than"
          hint="empty: never"
          suffix="%"
          inputMode="decimal"
          value={errors}
          error={errorsPercent === undefined ? 'Type a number between 0 and 100.' : undefined}
          onChange={(event) => setErrors(event.target.value)}
        />
        <TextField
          label="Withdraw by itself when an SLO is broken more than"
          hint="empty: never"
          suffix="times as often as it allows"
          inputMode="decimal"
          value={burn}
          error={mostBurn === undefined ? 'Type a number from 1 to 1,000.' : undefined}
          onChange={(event) => setBurn(event.target.value)}
        />
        <TextArea label="Why" rows={2} maxLength={2000} value={why} onChange={(event) => setWhy(event.target.value)} />
      </div>
      {begin.error ? <ErrorNotice error={begin.error} /> : null}
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button look="primary" disabled={!isRight || begin.isPending} onClick={() => begin.mutate()}>
          Try it
        </Button>
      </DialogActions>
    </Dialog>
  )
}
