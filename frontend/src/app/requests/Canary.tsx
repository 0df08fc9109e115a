import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Rocket, Undo2 } from 'lucide-react'
import { useId, useState } from 'react'
import { answered, api } from '../../api/client'
import { ENVIRONMENT } from '../../api/environment'
import { canary as canaryQuery } from '../../api/request-queries'
import { session } from '../../api/session'
import type { Canary as CanaryRead } from '../../api/types'
import { looksText, shareText, stateText, thresholdsText, typedShare } from '../../logic/canary-words'
import { roleLacking } from '../../logic/request-words'
import { useTellLive } from '../../panels/deploy/BuildState'
import { Button } from '../../ui/Button'
import { TextField } from '../../ui/Field'
import { Form } from '../../ui/Form'
import { ErrorNotice } from '../../ui/Notice'
import { useEnvironment } from '../url-state'
import { Compared } from './Compared'
import { useChange } from './change'
import styles from './requests.module.css'

/** The version that is tried now: its share, how it compares with the live one, and what may be decided. */
export function Canary() {
  const environment = useEnvironment()
  const titleId = useId()
  const { data: canary, error } = useQuery(canaryQuery(environment))
  if (error) return <ErrorNotice error={error} />
  if (!canary) return null
  return (
    <section className={styles['section']} aria-labelledby={titleId}>
      <h2 id={titleId}>Tried on {shareText(canary.share)}</h2>
      <p role="status">{stateText(canary)}</p>
      <p className={styles['soft']}>{thresholdsText(canary.thresholds)}</p>
      {canary.stage === 'open' ? <Decisions canary={canary} /> : null}
      <Compared canary={canary} />
      <p className={styles['soft']}>{looksText(canary)}</p>
    </section>
  )
}

function Decisions({ canary }: { canary: CanaryRead }) {
  const environment = useEnvironment()
  const queryClient = useQueryClient()
  const tellLive = useTellLive()
  const { data: visitor } = useQuery(session)
  const [percent, setPercent] = useState('')
  const [why, setWhy] = useState('')
  const { version } = canary
  const body = { version, why: why.trim() }
  const path = { params: { path: environment } }
  const readAgain = () => queryClient.invalidateQueries({ queryKey: canaryQuery(environment).queryKey })
  const done = () => {
    setWhy('')
    setPercent('')
    void readAgain()
  }
  const share = typedShare(percent)
  const setShare = useChange(
    () => answered(api.PUT(`${ENVIRONMENT}/canary/share`, { ...path, body: { ...body, share: share ?? 0 } })),
    done,
  )
  const promote = useChange(async () => {
    const live = await answered(api.POST(`${ENVIRONMENT}/canary/promotion`, { ...path, body }))
    tellLive(`Version ${live.version} is live.`)
  }, done)
  const withdraw = useChange(() => answered(api.POST(`${ENVIRONMENT}/canary/withdrawal`, { ...path, body })), done)
  const lacking = visitor ? roleLacking(visitor.person, environment.application, 'deployer') : null
  const isBusy = lacking !== null || setShare.isPending || promote.isPending || withdraw.isPending
  const failure = setShare.error ?? promote.error ?? withdraw.error
  return (
    <Form className={styles['decisions']} aria-label="Decision" onSubmit={() => undefined}>
      <TextField
        label="Why"
        hint="kept in its history"
        maxLength={2000}
        value={why}
        onChange={(event) => setWhy(event.target.value)}
      />
      <div className={styles['row']}>
        <Button
          look="primary"
          icon={<Rocket size={13} aria-hidden />}
          disabled={isBusy}
          onClick={() => promote.mutate()}
        >
          Promote version {version}
        </Button>
        <Button
          look="danger"
          icon={<Undo2 size={13} aria-hidden />}
          disabled={isBusy}
          onClick={() => withdraw.mutate()}
        >
          Withdraw version {version}
        </Button>
        <TextField
          label="Another share"
          isLabelHidden
          placeholder={shareText(canary.share)}
          suffix="%"
          inputMode="decimal"
          value={percent}
          error={percent !== '' && share === null ? 'Type a number from 0 to 100.' : undefined}
          onChange={(event) => setPercent(event.target.value)}
        />
        <Button disabled={isBusy || share === null} onClick={() => setShare.mutate()}>
          Set the share
        </Button>
      </div>
      {lacking === null ? null : <p className={styles['soft']}>{lacking}</p>}
      {failure ? <ErrorNotice error={failure} /> : null}
    </Form>
  )
}
