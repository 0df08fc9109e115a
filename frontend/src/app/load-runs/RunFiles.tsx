import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Download, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { answered, api } from '../../api/client'
import { ENVIRONMENT, pathOf } from '../../api/environment'
import { loadRuns } from '../../api/load-queries'
import type { LoadRun } from '../../api/types'
import { Button } from '../../ui/Button'
import { RemovalDialog } from '../../ui/RemovalDialog'
import { setView, useEnvironment } from '../url-state'
import styles from './load-runs.module.css'

/** The files of a run that has ended, to be kept elsewhere, and a button that deletes it. */
export function RunFiles({ run }: { run: LoadRun }) {
  const path = `${pathOf(useEnvironment())}/load-runs/${encodeURIComponent(run.id)}`
  return (
    <span className={styles['files']}>
      {run.has_result ? (
        <>
          <Download size={13} aria-hidden />
          <a href={`${path}/page`} download={`${run.id}.html`}>
            Page
          </a>
          <a href={`${path}/file?kind=json`} download={`${run.id}.json`}>
            JSON
          </a>
          <a href={`${path}/file?kind=hlog`} download={`${run.id}.hlog`}>
            HdrHistogram
          </a>
        </>
      ) : null}
      <DeleteRun run={run} />
    </span>
  )
}

function DeleteRun({ run }: { run: LoadRun }) {
  const environment = useEnvironment()
  const queryClient = useQueryClient()
  const [isAsking, setAsking] = useState(false)
  const remove = useMutation({
    mutationFn: () =>
      answered(
        api.DELETE(`${ENVIRONMENT}/load-runs/{run_id}`, { params: { path: { ...environment, run_id: run.id } } }),
      ),
    onSuccess: () => {
      setView({ loadRun: undefined })
      return queryClient.invalidateQueries({ queryKey: loadRuns(environment).queryKey })
    },
  })
  return (
    <>
      <Button size="small" icon={<Trash2 size={12} aria-hidden />} onClick={() => setAsking(true)}>
        Delete
      </Button>
      {isAsking ? (
        <RemovalDialog
          title="Delete this load run?"
          consequence="This deletes what the run measured."
          action="Delete run"
          removal={remove}
          onClose={() => setAsking(false)}
        />
      ) : null}
    </>
  )
}
