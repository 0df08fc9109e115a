import { useMutation, useQueryClient } from '@tanstack/react-query'
import { GitPullRequestArrow } from 'lucide-react'
import { useState } from 'react'
import { answered, api } from '../../api/client'
import { ENVIRONMENT, keyOf } from '../../api/environment'
import { setView, useEnvironment } from '../../app/url-state'
import { sourceFiles } from '../../documents/documents'
import { saveChanged } from '../../documents/saving'
import { Button } from '../../ui/Button'
import { Dialog, DialogActions } from '../../ui/Dialog'
import { TextArea, TextField } from '../../ui/Field'
import { Form } from '../../ui/Form'
import { ErrorNotice } from '../../ui/Notice'
import styles from './deploy.module.css'

interface AskForDeploymentProps {
  isEnabled: boolean
  /** Whether there is no other way to deploy here. */
  isOnlyWay: boolean
  /** The profile run that SLOs are judged by; empty for the newest. */
  runId: string
  /** The queries of others that may be removed or replaced. */
  removes: readonly string[]
}

/** Opens a deploy request for the text of the editor, with a title and why it is needed. */
export function AskForDeployment(props: AskForDeploymentProps) {
  const [isAsking, setAsking] = useState(false)
  return (
    <>
      <Button
        look={props.isOnlyWay && props.isEnabled ? 'primary' : 'plain'}
        icon={<GitPullRequestArrow size={13} aria-hidden />}
        disabled={!props.isEnabled}
        title="Opens a request that others look at before it is deployed"
        isWrapped
        onClick={() => setAsking(true)}
      >
        Ask for this to be deployed
      </Button>
      {isAsking ? <Ask {...props} onClose={() => setAsking(false)} /> : null}
    </>
  )
}

function Ask({ runId, removes, onClose }: AskForDeploymentProps & { onClose: () => void }) {
  const environment = useEnvironment()
  const queryClient = useQueryClient()
  const [title, setTitle] = useState('')
  const [why, setWhy] = useState('')
  const ask = useMutation({
    mutationFn: async () => {
      await saveChanged()
      const text = { files: sourceFiles(), run_id: runId || null, removes: [...removes] }
      const body = { title: title.trim(), why: why.trim(), text }
      return answered(api.POST(`${ENVIRONMENT}/deploy-requests`, { params: { path: environment }, body }))
    },
    onSuccess: ({ number }) => {
      onClose()
      setView({ page: 'requests', request: number })
      void queryClient.invalidateQueries({ queryKey: keyOf('deploy-requests', environment) })
    },
  })
  const isWhole = title.trim() !== ''
  return (
    <Dialog title="Ask for this to be deployed" onClose={onClose}>
      <Form className={styles['asked']} onSubmit={() => isWhole && ask.mutate()}>
        <TextField
          label="Title"
          hint="what it is for, in a few words"
          maxLength={200}
          value={title}
          onChange={(event) => setTitle(event.target.value)}
        />
        <TextArea label="Why" maxLength={10_000} value={why} onChange={(event) => setWhy(event.target.value)} />
        <p>The request keeps the text as it is now. Others look at it, and it is deployed once nothing is missing.</p>
        {ask.error ? <ErrorNotice error={ask.error} /> : null}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" disabled={!isWhole || ask.isPending}>
            Open the request
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  )
}
