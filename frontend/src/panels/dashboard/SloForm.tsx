import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { answered, api } from '../../api/client'
import { slos } from '../../api/queries'
import type { Slo, SloWrite } from '../../api/types'
import { notify } from '../../app/notices'
import { numberError, SLO_RULES } from '../../logic/numbers'
import { DEFAULT_SLO } from '../../logic/view'
import { Button } from '../../ui/Button'
import { TextField } from '../../ui/Field'
import { ErrorNotice } from '../../ui/Notice'
import { formatDuration, formatMs, formatPercent } from '../../units'
import styles from './dashboard.module.css'

/** 99 % of the executions under 500 ms in each interval of ten minutes: the three numbers of that sentence. */
export function SloForm({ query, slo }: { query: string; slo: Slo | null }) {
  const queryClient = useQueryClient()
  const present = slo ?? DEFAULT_SLO
  const [percent, setPercent] = useState(String(Number((present.quantile * 100).toFixed(4))))
  const [threshold, setThreshold] = useState(String(present.threshold_ms))
  const [interval, setInterval] = useState(String(present.interval_seconds))
  const save = useMutation({
    mutationFn: (body: SloWrite) => answered(api.PUT('/api/slos/{query}', { params: { path: { query } }, body })),
    onSuccess: () => {
      notify({ tone: 'success', text: `The SLO of ${query} is saved.` })
      void queryClient.invalidateQueries({ queryKey: slos.queryKey })
      void queryClient.invalidateQueries({ queryKey: ['latency'] })
    },
  })
  const remove = useMutation({
    mutationFn: () => answered(api.DELETE('/api/slos/{query}', { params: { path: { query } } })),
    onSuccess: () => {
      const before = slo && { quantile: slo.quantile, threshold_ms: slo.threshold_ms, interval_seconds: slo.interval_seconds }
      const undo = before ? { action: { label: 'Put it back', run: () => save.mutate(before) } } : {}
      notify({ tone: 'success', text: `${query} has no SLO any more.`, ...undo })
      void queryClient.invalidateQueries({ queryKey: slos.queryKey })
      void queryClient.invalidateQueries({ queryKey: ['latency'] })
    },
  })
  const errors = {
    percent: numberError(percent, SLO_RULES.percent),
    threshold: numberError(threshold, SLO_RULES.threshold),
    interval: numberError(interval, SLO_RULES.interval),
  }
  const isWhole = Object.values(errors).every((error) => error === undefined)
  return (
    <form
      className={styles['burst']}
      aria-label="SLO"
      onSubmit={(event) => {
        event.preventDefault()
        save.mutate({ quantile: Number(percent) / 100, threshold_ms: Number(threshold), interval_seconds: Number(interval) })
      }}
    >
      <p className={styles['promise']}>
        {slo
          ? `Promised: ${formatPercent(slo.quantile, 2)} under ${formatMs(slo.threshold_ms)} in each ${formatDuration(slo.interval_seconds)}.`
          : `No SLO yet. Save one to see whether ${query} keeps it.`}
      </p>
      <TextField label="SLO quantile" suffix="%" inputMode="decimal" value={percent} error={errors.percent} onChange={(event) => setPercent(event.target.value)} />
      <TextField label="SLO threshold" suffix="ms" inputMode="decimal" value={threshold} error={errors.threshold} onChange={(event) => setThreshold(event.target.value)} />
      <TextField label="SLO interval" suffix="s" inputMode="decimal" value={interval} error={errors.interval} onChange={(event) => setInterval(event.target.value)} />
      <Button type="submit" disabled={!isWhole || save.isPending}>
        Save SLO
      </Button>
      {slo ? (
        <Button look="quiet" disabled={remove.isPending} onClick={() => remove.mutate()}>
          Remove SLO
        </Button>
      ) : null}
      {(save.error ?? remove.error) ? <ErrorNotice error={save.error ?? remove.error} /> : null}
    </form>
  )
}
