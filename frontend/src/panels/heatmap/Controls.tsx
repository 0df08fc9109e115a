import { Grid3x3, Table2 } from 'lucide-react'
import { useState } from 'react'
import type { Axis, ProfileRun, Query } from '../../api/types'
import { setView, useView } from '../../app/url-state'
import { selectQuery, useCompilation } from '../../app/selection'
import type { SloTarget } from '../../logic/view'
import { SelectField, TextField } from '../../ui/Field'
import { Switch } from '../../ui/Switch'
import { formatDay } from '../../units'
import styles from './heatmap.module.css'

interface ControlsProps {
  query: Query
  run: ProfileRun
  runs: readonly ProfileRun[]
  slo: SloTarget
  /** The limits along the sides of a map; a write has none. */
  sides?: { x: Axis; y: Axis }
}

/** Which query, by which run, over which limits, against which SLO. */
export function Controls({ query, run, runs, sides, slo }: ControlsProps) {
  const compilation = useCompilation()
  const choices = (compilation?.queries ?? []).filter((each) => each.bound && (each.axes.length > 0 || each.kind !== 'select'))
  return (
    <div className={styles['controls']}>
      <div className={styles['fields']}>
        <SelectField
          label="Query"
          value={query.name}
          onChange={(event) => {
            const chosen = choices.find((each) => each.name === event.target.value)
            if (chosen) {
              selectQuery(chosen)
              setView({ x: undefined, y: undefined, cell: undefined })
            }
          }}
        >
          {choices.map((each) => (
            <option key={each.name}>{each.name}</option>
          ))}
        </SelectField>
        <SelectField label="Profile run" value={run.id} onChange={(event) => setView({ run: event.target.value })}>
          {runs.map((each) => (
            <option key={each.id} value={each.id}>
              {each.label ?? formatDay(each.created_at)}
            </option>
          ))}
        </SelectField>
        {sides ? <Sides query={query} x={sides.x} y={sides.y} /> : null}
      </div>
      <SloFields slo={slo} />
      {sides ? <MapOrTable /> : null}
    </div>
  )
}

function Sides({ query, x, y }: { query: Query; x: Axis; y: Axis }) {
  const axes = query.axes.map((axis) => (
    <option key={axis.symbol} value={axis.symbol}>
      {axis.label}
    </option>
  ))
  return (
    <>
      <SelectField label="X axis" value={x.symbol} onChange={(event) => setView({ x: event.target.value, cell: undefined })}>
        {axes}
      </SelectField>
      <SelectField label="Y axis" value={y.symbol} onChange={(event) => setView({ y: event.target.value, cell: undefined })}>
        {axes}
      </SelectField>
    </>
  )
}

function MapOrTable() {
  const { as } = useView()
  return (
    <Switch
      label="View of the heatmap"
      value={as === 'table' ? 'table' : 'map'}
      options={[
        { value: 'map', label: 'Map', icon: <Grid3x3 size={12} aria-hidden /> },
        { value: 'table', label: 'Table', icon: <Table2 size={12} aria-hidden /> },
      ]}
      onChange={(value) => setView({ as: value === 'table' ? 'table' : undefined })}
    />
  )
}

/** The SLO as a sentence with three blanks; it takes effect once all three are numbers. */
function SloFields({ slo }: { slo: SloTarget }) {
  const [percent, setPercent] = useState(String(Number((slo.quantile * 100).toFixed(4))))
  const [threshold, setThreshold] = useState(String(slo.threshold_ms))
  const [interval, setInterval] = useState(String(slo.interval_seconds))
  const apply = (next: { percent?: string; threshold?: string; interval?: string }) => {
    const quantile = Number(next.percent ?? percent) / 100
    const threshold_ms = Number(next.threshold ?? threshold)
    const interval_seconds = Number(next.interval ?? interval)
    if (quantile >= 0.5 && quantile < 1 && threshold_ms > 0 && interval_seconds > 0) setView({ slo: { quantile, threshold_ms, interval_seconds } })
  }
  return (
    <fieldset className={styles['slo']}>
      <legend className="visually-hidden">SLO</legend>
      <TextField
        label="SLO quantile"
        suffix="%"
        inputMode="decimal"
        value={percent}
        onChange={(event) => {
          setPercent(event.target.value)
          apply({ percent: event.target.value })
        }}
      />
      <TextField
        label="SLO threshold"
        suffix="ms"
        inputMode="decimal"
        value={threshold}
        onChange={(event) => {
          setThreshold(event.target.value)
          apply({ threshold: event.target.value })
        }}
      />
      <TextField
        label="SLO interval"
        suffix="s"
        inputMode="decimal"
        value={interval}
        onChange={(event) => {
          setInterval(event.target.value)
          apply({ interval: event.target.value })
        }}
      />
    </fieldset>
  )
}
