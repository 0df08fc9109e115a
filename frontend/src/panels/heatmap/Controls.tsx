import { ChartSpline, Grid3x3, Table2 } from 'lucide-react'
import type { Axis, ProfileRun, Query } from '../../api/types'
import { selectQuery, useCompilation } from '../../app/selection'
import { setView, useView } from '../../app/url-state'
import { runName } from '../../logic/run-name'
import { NO_AXIS, type SloTarget } from '../../logic/view'
import { SelectField } from '../../ui/Field'
import { Switch } from '../../ui/Switch'
import styles from './heatmap.module.css'
import { SloFields } from './SloFields'

/** The limits on the axes of a map; without `y`, on the axis of a curve. */
interface Sides {
  x: Axis
  y: Axis | null
}

interface ControlsProps {
  query: Query
  run: ProfileRun
  runs: readonly ProfileRun[]
  slo: SloTarget
  /** Missing for a query without limits. */
  sides?: Sides
}

/** The fields above a heatmap: query, profile run, axes, SLO, and whether it is drawn or shown as a table. */
export function Controls({ query, run, runs, sides, slo }: ControlsProps) {
  const compilation = useCompilation()
  const choices = (compilation?.queries ?? []).filter((compiled) => compiled.bound)
  return (
    <div className={styles['controls']}>
      <div className={styles['fields']}>
        <SelectField
          label="Query"
          value={query.name}
          onChange={(event) => {
            const chosen = choices.find((choice) => choice.name === event.target.value)
            if (chosen) selectQuery(chosen.name)
          }}
        >
          {choices.map((choice) => (
            <option key={choice.name}>{choice.name}</option>
          ))}
        </SelectField>
        <SelectField label="Profile run" value={run.id} onChange={(event) => setView({ run: event.target.value })}>
          {runs.map((profileRun) => (
            <option key={profileRun.id} value={profileRun.id}>
              {runName(profileRun)}
            </option>
          ))}
        </SelectField>
        {sides ? <SideFields query={query} x={sides.x} y={sides.y} /> : null}
      </div>
      <SloFields query={query.name} slo={slo} />
      {sides ? <MapOrTable isCurve={sides.y === null} /> : null}
    </div>
  )
}

function SideFields({ query, x, y }: Sides & { query: Query }) {
  const axes = query.axes.map((axis) => (
    <option key={axis.symbol} value={axis.symbol}>
      {axis.label}
    </option>
  ))
  return (
    <>
      <SelectField
        label="X axis"
        value={x.symbol}
        onChange={(event) => setView({ x: event.target.value, cell: undefined, region: undefined, closer: undefined })}
      >
        {axes}
      </SelectField>
      <SelectField
        label="Y axis"
        value={y?.symbol ?? NO_AXIS}
        onChange={(event) => setView({ y: event.target.value, cell: undefined, region: undefined, closer: undefined })}
      >
        {query.axes.length > 1 ? axes : null}
        <option value={NO_AXIS}>none: a curve</option>
      </SelectField>
    </>
  )
}

function MapOrTable({ isCurve }: { isCurve: boolean }) {
  const { as } = useView()
  return (
    <Switch
      label="View of the heatmap"
      value={as === 'table' ? 'table' : 'map'}
      options={[
        isCurve
          ? { value: 'map', label: 'Curve', icon: <ChartSpline size={12} aria-hidden /> }
          : { value: 'map', label: 'Map', icon: <Grid3x3 size={12} aria-hidden /> },
        { value: 'table', label: 'Table', icon: <Table2 size={12} aria-hidden /> },
      ]}
      onChange={(value) => setView({ as: value === 'table' ? 'table' : undefined })}
    />
  )
}
