import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Play } from 'lucide-react'
import { useId, useState } from 'react'
import { answered, api } from '../../api/client'
import { ENVIRONMENT } from '../../api/environment'
import { isCalling, loadOptions, loadRun, loadRuns } from '../../api/load-queries'
import { deployments } from '../../api/queries'
import type { DeployedQuery, LoadRunCreate } from '../../api/types'
import { effectOf, loadErrors, loadRequest, loadSummary, START, type TypedLoad, writesOf } from '../../logic/load-form'
import { Button } from '../../ui/Button'
import { SelectField, TextField } from '../../ui/Field'
import { Form } from '../../ui/Form'
import { ErrorNotice, Notice } from '../../ui/Notice'
import { setView, useEnvironment } from '../url-state'
import styles from './load-runs.module.css'
import { Weights } from './Weights'

/** The form that starts a load run on the live queries of the environment. */
export function NewLoadRun() {
  const environment = useEnvironment()
  const { data: versions } = useInfiniteQuery(deployments(environment))
  const { data: options, error } = useQuery(loadOptions(environment))
  const live = versions?.find((version) => version.is_live)
  if (error) return <ErrorNotice error={error} />
  if (!live || !options) return null
  return options.refusal ? (
    <Notice>{options.refusal}</Notice>
  ) : (
    <LoadForm queries={live.queries} mixes={options.mixes.map(({ name }) => name)} />
  )
}

function LoadForm({ queries, mixes }: { queries: readonly DeployedQuery[]; mixes: readonly string[] }) {
  const titleId = useId()
  const environment = useEnvironment()
  const queryClient = useQueryClient()
  const { data: runs } = useQuery(loadRuns(environment))
  const [typed, setTyped] = useState<TypedLoad>(START)
  const change = (part: Partial<TypedLoad>) => setTyped({ ...typed, ...part })
  const start = useMutation({
    mutationFn: (body: LoadRunCreate) =>
      answered(api.POST(`${ENVIRONMENT}/load-runs`, { params: { path: environment }, body })),
    onSuccess: (run) => {
      queryClient.setQueryData(loadRun(environment, run.id).queryKey, run)
      void queryClient.invalidateQueries({ queryKey: loadRuns(environment).queryKey })
      setView({ loadRun: run.id })
    },
  })
  const errors = loadErrors(typed, queries)
  const writes = writesOf(typed, queries)
  const isBusy = (runs ?? []).some((run) => isCalling(run) && !run.is_reported)
  const isReady = Object.keys(errors).length === 0 && writes.every(({ name }) => typed.seen.includes(name))
  return (
    <section aria-labelledby={titleId} className={styles['new']}>
      <h2 id={titleId}>New load run on {environment.environment}</h2>
      <Form
        className={styles['form']}
        aria-label="New load run"
        onSubmit={() => isReady && start.mutate(loadRequest(typed, queries) as LoadRunCreate)}
      >
        <div className={styles['fields']}>
          <TextField
            label="Label"
            hint="optional"
            maxLength={200}
            value={typed.label}
            onChange={(event) => change({ label: event.target.value })}
          />
          <SelectField label="Queries" value={typed.mix} onChange={(event) => change({ mix: event.target.value })}>
            <option value="reads">All that read, equally often</option>
            <option value="own">Chosen, each with a weight</option>
            {mixes.map((mix) => (
              <option key={mix} value={mix}>
                Mix {mix}
              </option>
            ))}
          </SelectField>
          <SelectField
            label="Loop"
            value={typed.isClosed ? 'closed' : 'open'}
            onChange={(event) => change({ isClosed: event.target.value === 'closed' })}
          >
            <option value="open">Open: calls at a rate</option>
            <option value="closed">Closed: the next when the last has ended</option>
          </SelectField>
          {typed.isClosed ? null : (
            <TextField
              label="Calls a second"
              hint="50, 100, 200 are steps"
              value={typed.rates}
              error={errors.rates}
              onChange={(event) => change({ rates: event.target.value })}
            />
          )}
          <TextField
            label={typed.isClosed ? 'Time' : 'Time of each step'}
            suffix="s"
            inputMode="decimal"
            value={typed.seconds}
            error={errors.seconds}
            onChange={(event) => change({ seconds: event.target.value })}
          />
          <TextField
            label="Connections"
            hint="≤ 64"
            inputMode="numeric"
            value={typed.connections}
            error={errors.connections}
            onChange={(event) => change({ connections: event.target.value })}
          />
          <TextField
            label="Stop if"
            hint="p99 > 50ms, errors > 1%"
            value={typed.stopIf}
            onChange={(event) => change({ stopIf: event.target.value })}
          />
        </div>
        {typed.mix === 'own' ? (
          <Weights
            queries={queries}
            weights={typed.weights}
            error={errors.weights}
            onChange={(weights) => change({ weights })}
          />
        ) : null}
        {writes.map((query) => (
          <label key={query.name} className={styles['seen']} data-kind={query.kind}>
            <input
              type="checkbox"
              checked={typed.seen.includes(query.name)}
              onChange={({ target: { checked } }) =>
                change({
                  seen: checked ? [...typed.seen, query.name] : typed.seen.filter((name) => name !== query.name),
                })
              }
            />
            {effectOf(query, environment.environment)}
          </label>
        ))}
        <div className={styles['row']}>
          <Button
            type="submit"
            look="primary"
            icon={<Play size={13} aria-hidden />}
            disabled={!isReady || isBusy || start.isPending}
          >
            Start on {environment.environment}
          </Button>
          <p className={styles['soft']}>
            {isBusy ? 'A run is under way: wait for it, or cancel it.' : (loadSummary(typed) ?? '')}
          </p>
        </div>
        {start.error ? <ErrorNotice error={start.error} /> : null}
      </Form>
    </section>
  )
}
