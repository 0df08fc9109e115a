import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { answered, api } from '../../api/client'
import { ENVIRONMENT, keyOf } from '../../api/environment'
import { slos } from '../../api/queries'
import { download } from '../../app/export-tables'
import { notify } from '../../app/notices'
import { useEnvironment } from '../../app/url-state'
import { Button } from '../../ui/Button'
import { ErrorNotice } from '../../ui/Notice'
import styles from './dashboard.module.css'

/**
 * Buttons that export all SLOs to a file of OpenSLO documents or of rules for Prometheus, import them from one, and save
 * the last seven days of a version as a page.
 */
export function OpenSlo({ hasSlos, deploymentId }: { hasSlos: boolean; deploymentId: string }) {
  const environment = useEnvironment()
  const queryClient = useQueryClient()
  const input = useRef<HTMLInputElement>(null)
  const exportAll = useMutation({
    mutationFn: () =>
      answered(api.GET(`${ENVIRONMENT}/slos/openslo`, { params: { path: environment }, parseAs: 'text' })),
    onSuccess: (text) => download('slos.yaml', 'application/yaml', text),
  })
  const exportRules = useMutation({
    mutationFn: () =>
      answered(api.GET(`${ENVIRONMENT}/prometheus-rules`, { params: { path: environment }, parseAs: 'text' })),
    onSuccess: (text) => download('slos.rules.yaml', 'application/yaml', text),
  })
  const exportWeek = useMutation({
    mutationFn: () =>
      answered(
        api.GET(`${ENVIRONMENT}/weeks/{deployment_id}`, {
          params: { path: { ...environment, deployment_id: deploymentId } },
          parseAs: 'text',
        }),
      ),
    onSuccess: (text) => download(`${environment.application}-${environment.environment}-week.html`, 'text/html', text),
  })
  const importFile = useMutation({
    mutationFn: async (file: File) =>
      answered(
        api.POST(`${ENVIRONMENT}/slos/openslo`, { params: { path: environment }, body: { text: await file.text() } }),
      ),
    onSuccess: (targets) => {
      notify({ tone: 'success', text: `${targets.length} ${targets.length === 1 ? 'SLO is' : 'SLOs are'} imported.` })
      void queryClient.invalidateQueries({ queryKey: slos(environment).queryKey })
      void queryClient.invalidateQueries({ queryKey: keyOf('latency', environment) })
    },
  })
  const error = exportAll.error ?? exportRules.error ?? importFile.error ?? exportWeek.error
  return (
    <div className={styles['openslo']}>
      <Button look="quiet" disabled={!hasSlos || exportAll.isPending} onClick={() => exportAll.mutate()}>
        Export SLOs
      </Button>
      <Button look="quiet" disabled={!hasSlos || exportRules.isPending} onClick={() => exportRules.mutate()}>
        Export Prometheus rules
      </Button>
      <Button look="quiet" disabled={importFile.isPending} onClick={() => input.current?.click()}>
        Import SLOs
      </Button>
      <Button look="quiet" disabled={exportWeek.isPending} onClick={() => exportWeek.mutate()}>
        Save the week as a page
      </Button>
      <input
        ref={input}
        hidden
        type="file"
        accept=".yaml,.yml"
        aria-label="OpenSLO file"
        onChange={(event) => {
          const file = event.target.files?.[0]
          exportAll.reset()
          exportRules.reset()
          if (file) importFile.mutate(file)
          event.target.value = '' // so that the same file can be chosen again
        }}
      />
      {error ? <ErrorNotice error={error} /> : null}
    </div>
  )
}
