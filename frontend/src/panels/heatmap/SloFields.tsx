import { useState } from 'react'
import { useEffectiveSlo, useSloChange } from '../../app/slos'
import { replaceView } from '../../app/url-state'
import { numberError, SLO_RULES } from '../../logic/numbers'
import type { SloTarget } from '../../logic/view'
import { Button } from '../../ui/Button'
import { TextField } from '../../ui/Field'
import { ErrorNotice } from '../../ui/Notice'
import { formatDuration, formatMs, formatPercent } from '../../units'
import styles from './heatmap.module.css'

type Typed = Record<keyof typeof SLO_RULES, string>

const FIELDS = [
  { name: 'percent', label: 'SLO quantile', suffix: '%' },
  { name: 'threshold', label: 'SLO threshold', suffix: 'ms' },
  { name: 'interval', label: 'SLO interval', suffix: 's' },
] as const

/**
 * The three numbers of the SLO. Once all of them are valid, the typed SLO is tried in this panel and kept in the URL; it
 * becomes the query's SLO when it is saved.
 */
export function SloFields({ query, slo }: { query: string; slo: SloTarget }) {
  const [typed, setTyped] = useState<Typed | null>(null)
  const shown = typed ?? textsOf(slo)
  const change = (next: Typed) => {
    setTyped(next)
    if (isValid(next))
      replaceView({
        slo: {
          quantile: Number((Number(next.percent) / 100).toFixed(6)),
          threshold_ms: Number(next.threshold),
          interval_seconds: Number(next.interval),
        },
      })
  }
  return (
    <fieldset className={styles['slo']}>
      <legend className="visually-hidden">SLO</legend>
      {FIELDS.map(({ name, label, suffix }) => (
        <TextField
          key={name}
          label={label}
          suffix={suffix}
          inputMode="decimal"
          value={shown[name]}
          error={numberError(shown[name], SLO_RULES[name])}
          onChange={(event) => change({ ...shown, [name]: event.target.value })}
          onBlur={() => typed && isValid(typed) && setTyped(null)}
        />
      ))}
      <SloState query={query} onReset={() => setTyped(null)} />
    </fieldset>
  )
}

/** Says whether the shown SLO is the saved one, with buttons to save it or to return to the saved one. */
function SloState({ query, onReset }: { query: string; onReset: () => void }) {
  const { slo, saved, isTried } = useEffectiveSlo(query)
  const { save } = useSloChange(query)
  const promise = saved
    ? `${formatPercent(saved.quantile, 2)} under ${formatMs(saved.threshold_ms)} in each ${formatDuration(saved.interval_seconds)}`
    : null
  return (
    <div className={styles['sloState']}>
      <p role="status" aria-label="SLO of the query">
        {isTried
          ? promise
            ? `Tried here only; the SLO is ${promise}.`
            : `Tried here only; ${query} has no SLO yet.`
          : promise
            ? `The SLO of ${query}.`
            : `${query} has no SLO yet: this one is assumed.`}
      </p>
      {isTried || !saved ? (
        <Button size="small" disabled={save.isPending} onClick={() => save.mutate(slo, { onSuccess: onReset })}>
          Save SLO
        </Button>
      ) : null}
      {isTried ? (
        <Button
          size="small"
          look="quiet"
          onClick={() => {
            replaceView({ slo: undefined })
            onReset()
          }}
        >
          {saved ? 'Back to the SLO' : 'Do not try it'}
        </Button>
      ) : null}
      {save.error ? <ErrorNotice error={save.error} /> : null}
    </div>
  )
}

function isValid(typed: Typed): boolean {
  return FIELDS.every(({ name }) => numberError(typed[name], SLO_RULES[name]) === undefined)
}

function textsOf(slo: SloTarget): Typed {
  return {
    percent: String(Number((slo.quantile * 100).toFixed(4))),
    threshold: String(slo.threshold_ms),
    interval: String(slo.interval_seconds),
  }
}
