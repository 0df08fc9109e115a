import { useState } from 'react'
import { replaceView } from '../../app/url-state'
import { numberError, SLO_RULES } from '../../logic/numbers'
import type { SloTarget } from '../../logic/view'
import { TextField } from '../../ui/Field'
import styles from './heatmap.module.css'

type Typed = Record<keyof typeof SLO_RULES, string>

const FIELDS = [
  { name: 'percent', label: 'SLO quantile', suffix: '%' },
  { name: 'threshold', label: 'SLO threshold', suffix: 'ms' },
  { name: 'interval', label: 'SLO interval', suffix: 's' },
] as const

/** The SLO as a sentence with three blanks; it takes effect once all three are numbers, and until then says what is not. */
export function SloFields({ slo }: { slo: SloTarget }) {
  const [typed, setTyped] = useState<Typed | null>(null)
  const shown = typed ?? textsOf(slo)
  const change = (next: Typed) => {
    setTyped(next)
    if (isWhole(next)) replaceView({ slo: { quantile: Number((Number(next.percent) / 100).toFixed(6)), threshold_ms: Number(next.threshold), interval_seconds: Number(next.interval) } })
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
          onBlur={() => typed && isWhole(typed) && setTyped(null)}
        />
      ))}
    </fieldset>
  )
}

function isWhole(typed: Typed): boolean {
  return FIELDS.every(({ name }) => numberError(typed[name], SLO_RULES[name]) === undefined)
}

function textsOf(slo: SloTarget): Typed {
  return {
    percent: String(Number((slo.quantile * 100).toFixed(4))),
    threshold: String(slo.threshold_ms),
    interval: String(slo.interval_seconds),
  }
}
