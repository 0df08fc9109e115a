import { useState } from 'react'
import type { Slo } from '../../api/types'
import { useDefaultSlo, useSloChange } from '../../app/slos'
import { numberError, SLO_RULES } from '../../logic/numbers'
import { Button } from '../../ui/Button'
import { TextField } from '../../ui/Field'
import { Form } from '../../ui/Form'
import { ErrorNotice } from '../../ui/Notice'
import { formatDuration, formatMs, formatPercent } from '../../units'
import styles from './dashboard.module.css'

/**
 * Saves or removes the SLO of a query: so many percent of the executions under so many ms, in each interval of so many
 * s.
 */
export function SloForm({ query, slo }: { query: string; slo: Slo | null }) {
  const usual = useDefaultSlo()
  const initial = slo ?? usual
  const [percent, setPercent] = useState(String(Number((initial.quantile * 100).toFixed(4))))
  const [threshold, setThreshold] = useState(String(initial.threshold_ms))
  const [interval, setInterval] = useState(String(initial.interval_seconds))
  const { save, remove } = useSloChange(query)
  const errors = {
    percent: numberError(percent, SLO_RULES.percent),
    threshold: numberError(threshold, SLO_RULES.threshold),
    interval: numberError(interval, SLO_RULES.interval),
  }
  const isValid = Object.values(errors).every((error) => error === undefined)
  return (
    <Form
      className={styles['burst']}
      aria-label="SLO"
      onSubmit={() => {
        save.mutate({
          quantile: Number(percent) / 100,
          threshold_ms: Number(threshold),
          interval_seconds: Number(interval),
        })
      }}
    >
      <p className={styles['promise']}>
        {slo
          ? `Promised: ${formatPercent(slo.quantile, 2)} under ${formatMs(slo.threshold_ms)} in each ${formatDuration(slo.interval_seconds)}.`
          : `No SLO yet. Save one to see whether ${query} keeps it.`}
      </p>
      <TextField
        label="SLO quantile"
        suffix="%"
        inputMode="decimal"
        value={percent}
        error={errors.percent}
        onChange={(event) => setPercent(event.target.value)}
      />
      <TextField
        label="SLO threshold"
        suffix="ms"
        inputMode="decimal"
        value={threshold}
        error={errors.threshold}
        onChange={(event) => setThreshold(event.target.value)}
      />
      <TextField
        label="SLO interval"
        suffix="s"
        inputMode="decimal"
        value={interval}
        error={errors.interval}
        onChange={(event) => setInterval(event.target.value)}
      />
      <Button type="submit" disabled={!isValid || save.isPending}>
        Save SLO
      </Button>
      {slo ? (
        <Button look="quiet" disabled={remove.isPending} onClick={() => remove.mutate()}>
          Remove SLO
        </Button>
      ) : null}
      {(save.error ?? remove.error) ? <ErrorNotice error={save.error ?? remove.error} /> : null}
    </Form>
  )
}
