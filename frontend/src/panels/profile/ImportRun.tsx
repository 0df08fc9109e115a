import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Upload } from 'lucide-react'
import { useRef } from 'react'
import { answered, api } from '../../api/client'
import { ENVIRONMENT } from '../../api/environment'
import { useEnvironment } from '../../app/url-state'
import { Button } from '../../ui/Button'
import { ErrorNotice } from '../../ui/Notice'
import styles from './profile.module.css'
import { putRun } from './run-events'

/** A button that makes a run of an HdrHistogram log, such as one that another workbench has measured. */
export function ImportRun() {
  const environment = useEnvironment()
  const queryClient = useQueryClient()
  const input = useRef<HTMLInputElement>(null)
  const importLog = useMutation({
    mutationFn: async (file: File) =>
      answered(
        api.POST(`${ENVIRONMENT}/profile-runs/imports`, {
          params: { path: environment },
          body: { label: file.name.replace(/\.hlog$/, ''), log: await file.text() },
        }),
      ),
    onSuccess: (run) => putRun(queryClient, environment, run),
  })
  return (
    <div className={styles['import']}>
      <Button
        size="small"
        icon={<Upload size={12} aria-hidden />}
        title="Makes a run of an HdrHistogram log, such as one that another workbench has measured."
        disabled={importLog.isPending}
        onClick={() => input.current?.click()}
      >
        Import a log
      </Button>
      <input
        ref={input}
        hidden
        type="file"
        accept=".hlog"
        aria-label="HdrHistogram log"
        onChange={(event) => {
          const file = event.target.files?.[0]
          if (file) importLog.mutate(file)
          event.target.value = '' // so that the same file can be chosen again
        }}
      />
      {importLog.error ? <ErrorNotice error={importLog.error} /> : null}
    </div>
  )
}
