import { X } from 'lucide-react'
import type { QueryLatency } from '../../api/types'
import { replaceView, setView, useView } from '../../app/url-state'
import type { Comparison } from '../../logic/latency-comparison'
import { countsOf, STATES, type State, stateOf } from '../../logic/shown-queries'
import { Button } from '../../ui/Button'
import { TextField } from '../../ui/Field'
import { Switch } from '../../ui/Switch'
import { formatCount, plural } from '../../units'
import styles from './dashboard.module.css'

const NAMES: Readonly<Record<State, string>> = {
  danger: 'in danger',
  apart: 'unlike predicted',
  agrees: 'as predicted',
  unjudged: 'not judged',
  idle: 'not executed',
}

/** Chooses which queries are listed, by name and by state, and says how many are in each state. */
export function ShownQueries({ named }: { named: readonly Comparison<QueryLatency>[] }) {
  const view = useView()
  const counts = countsOf(named)
  const state = stateOf(view.state) ?? 'all'
  const options = STATES.filter((name) => counts[name] > 0 || name === state)
  return (
    <div className={styles['shown']} role="search" aria-label="Queries that are listed">
      <TextField
        label="Filter by name"
        isLabelHidden
        placeholder="Filter by name"
        value={view.named ?? ''}
        onChange={(event) => replaceView({ named: event.target.value || undefined })}
      />
      <Switch
        label="State"
        value={state}
        options={[
          { value: 'all', label: `all ${formatCount(named.length)}` },
          ...options.map((name) => ({ value: name, label: `${NAMES[name]} ${formatCount(counts[name])}` })),
        ]}
        onChange={(value) => setView({ state: value === 'all' ? undefined : value })}
      />
    </div>
  )
}

/** Stands in place of the list when nothing is left of it. */
export function NothingShown({ all }: { all: number }) {
  return (
    <p className={styles['nothing']} role="status">
      None of the {plural(all, 'query', 'queries')} matches.{' '}
      <Button icon={<X size={12} aria-hidden />} onClick={() => setView({ named: undefined, state: undefined })}>
        Show all
      </Button>
    </p>
  )
}
