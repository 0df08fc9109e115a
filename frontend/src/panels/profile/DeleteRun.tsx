import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Trash2 } from 'lucide-react'
import { useState } from 'react'
import { answered, api } from '../../api/client'
import { ENVIRONMENT } from '../../api/environment'
import { profileRuns } from '../../api/queries'
import type { ProfileRun } from '../../api/types'
import { useEnvironment } from '../../app/url-state'
import { IconButton } from '../../ui/Button'
import { RemovalDialog } from '../../ui/RemovalDialog'

/** A button that deletes a profile run, after a dialog has asked: its measurements took minutes. */
export function DeleteRun({ run, name }: { run: ProfileRun; name: string }) {
  const environment = useEnvironment()
  const [isAsking, setAsking] = useState(false)
  const queryClient = useQueryClient()
  const remove = useMutation({
    mutationFn: () =>
      answered(
        api.DELETE(`${ENVIRONMENT}/profile-runs/{run_id}`, {
          params: { path: { ...environment, run_id: run.id } },
        }),
      ),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: profileRuns(environment).queryKey }),
  })
  return (
    <>
      <IconButton label={`Delete ${name}`} size="small" onClick={() => setAsking(true)}>
        <Trash2 size={13} aria-hidden />
      </IconButton>
      {isAsking ? (
        <RemovalDialog
          title={`Delete ${name}?`}
          consequence="This deletes its measurements, and predictions cannot use them any more."
          action="Delete run"
          removal={remove}
          onClose={() => setAsking(false)}
        />
      ) : null}
    </>
  )
}
