import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Rocket } from 'lucide-react'
import { useState } from 'react'
import { answered, api } from '../../api/client'
import { ENVIRONMENT, keyOf } from '../../api/environment'
import { build } from '../../api/queries'
import type { DeployRequestDetail, DeployRequestText } from '../../api/types'
import type { WhyNot } from '../../logic/request-words'
import { useTellLive } from '../../panels/deploy/BuildState'
import { Button } from '../../ui/Button'
import { Dialog, DialogActions } from '../../ui/Dialog'
import { ErrorNotice, Notice } from '../../ui/Notice'
import { useEnvironment } from '../url-state'
import { useChange } from './change'
import styles from './requests.module.css'
import { TryOut } from './TryOut'

interface ActionsProps {
  request: DeployRequestDetail
  why: WhyNot
}

/** The buttons that deploy a request, give it another text, or end it; below them why one of them may not be used. */
export function Actions({ request, why }: ActionsProps) {
  const environment = useEnvironment()
  const path = { ...environment, number: request.number }
  const queryClient = useQueryClient()
  const tellLive = useTellLive()
  const readAgain = () => queryClient.invalidateQueries({ queryKey: keyOf('deploy-requests', environment) })
  const [isWithdrawing, setWithdrawing] = useState(false)
  const deploy = useMutation({
    mutationFn: (revision: number) =>
      answered(
        api.POST(`${ENVIRONMENT}/deploy-requests/{number}/deployment`, { params: { path }, body: { revision } }),
      ),
    onSuccess: (started) => {
      queryClient.setQueryData(build(environment).queryKey, started)
      if (started.deployment_id) tellLive(`Version ${started.deployment_id.slice(1)} is live.`)
      return readAgain()
    },
    onError: () => void readAgain(),
  })
  const revise = useChange(async ({ revision, text }: { revision: number; text: DeployRequestText }) => {
    const body = { revision, text }
    const after = await answered(
      api.POST(`${ENVIRONMENT}/deploy-requests/{number}/revisions`, { params: { path }, body }),
    )
    return after.revision > revision
  })
  const giveText = (text: DeployRequestText) => revise.mutate({ revision: request.revision, text })
  const reasons = [
    ['Deploy', why.deploy],
    ['Other texts', why.revise],
    ['Withdraw', why.withdraw === why.revise ? null : why.withdraw],
  ].filter(([, reason]) => reason !== null)
  return (
    <div className={styles['block']}>
      <div className={styles['row']} role="group" aria-label="Actions">
        <Button
          look={why.deploy === null ? 'primary' : 'plain'}
          icon={<Rocket size={13} aria-hidden />}
          disabled={why.deploy !== null || deploy.isPending}
          onClick={() => deploy.mutate(request.revision)}
        >
          Deploy this request
        </Button>
        <TryOut request={request} whyNot={why.deploy} />
        {request.status === 'outdated' ? (
          <Button disabled={why.revise !== null || revise.isPending} onClick={() => giveText(sameText(request))}>
            Take what is live as its base
          </Button>
        ) : null}
        <Button
          disabled={why.revise !== null || revise.isPending}
          title="Replaces the text that is asked for by the saved files"
          onClick={() => giveText({ removes: request.removes })}
        >
          Take the saved text
        </Button>
        <Button look="danger" disabled={why.withdraw !== null} onClick={() => setWithdrawing(true)}>
          Withdraw
        </Button>
      </div>
      {reasons.length > 0 ? (
        <ul className={styles['reasons']} aria-label="Why not">
          {reasons.map(([name, reason]) => (
            <li key={name}>
              {name}: {reason}
            </li>
          ))}
        </ul>
      ) : null}
      {deploy.error ? <ErrorNotice error={deploy.error} /> : null}
      {revise.error ? <ErrorNotice error={revise.error} /> : null}
      {revise.data === false ? <Notice role="status">The saved text is what it asks for already.</Notice> : null}
      {isWithdrawing ? <Withdraw number={request.number} onClose={() => setWithdrawing(false)} /> : null}
    </div>
  )
}

/** The text that a request has, as a wish for another base. */
function sameText({ origin, files, removes, run_id }: DeployRequestDetail): DeployRequestText {
  const version = /^version (\d+)$/.exec(origin)?.[1]
  return version === undefined ? { files, removes, run_id } : { version: Number(version), removes, run_id }
}

function Withdraw({ number, onClose }: { number: number; onClose: () => void }) {
  const environment = useEnvironment()
  const withdraw = useChange(
    () =>
      answered(
        api.POST(`${ENVIRONMENT}/deploy-requests/{number}/withdrawal`, {
          params: { path: { ...environment, number } },
        }),
      ),
    onClose,
  )
  return (
    <Dialog title={`Withdraw request ${number}?`} onClose={onClose}>
      <p>It ends, and is not deployed. Its text and what was said of it stay to be read.</p>
      {withdraw.error ? <ErrorNotice error={withdraw.error} /> : null}
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button look="danger" disabled={withdraw.isPending} onClick={() => withdraw.mutate()}>
          Withdraw request {number}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
