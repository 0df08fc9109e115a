import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Play } from 'lucide-react'
import { useState } from 'react'
import { answered, api } from '../../api/client'
import { ENVIRONMENT } from '../../api/environment'
import type { ProfileRunCreate } from '../../api/types'
import { useOwnGrid } from '../../app/grid-request'
import { useEnvironment } from '../../app/url-state'
import { numberError, RUN_RULES } from '../../logic/numbers'
import { DIMENSIONS, gridOf, levelsError, MOST_POINTS, pointsOf, START, type TypedGrid } from '../../logic/own-grid'
import { Button } from '../../ui/Button'
import { SelectField, TextField } from '../../ui/Field'
import { Form } from '../../ui/Form'
import { ErrorNotice } from '../../ui/Notice'
import { formatCount, formatDuration, plural } from '../../units'
import { OwnGrid } from './OwnGrid'
import styles from './profile.module.css'
import { putRun } from './run-events'

/** The form that starts a profile run; `isBusy` says that another run is under way. */
export function NewRun({ isBusy }: { isBusy: boolean }) {
  const environment = useEnvironment()
  const queryClient = useQueryClient()
  const [label, setLabel] = useState('')
  const [namedGrid, setNamedGrid] = useState<'small' | 'default'>('small')
  const typedGrid = useOwnGrid((state) => state.typed)
  const [interval, setInterval] = useState('30')
  const [intervals, setIntervals] = useState('3')
  const start = useMutation({
    mutationFn: (body: ProfileRunCreate) =>
      answered(api.POST(`${ENVIRONMENT}/profile-runs`, { params: { path: environment }, body })),
    onSuccess: (run) => {
      putRun(queryClient, environment, run)
      setLabel('')
    },
  })
  const errors = {
    interval: numberError(interval, RUN_RULES.interval),
    intervals: numberError(intervals, RUN_RULES.intervals),
  }
  const isValid =
    errors.interval === undefined &&
    errors.intervals === undefined &&
    (typedGrid === null || gridError(typedGrid) === undefined)
  const duration = Number(interval) * Number(intervals)
  const submit = () =>
    start.mutate({
      label: label.trim() || null,
      grid: typedGrid ? gridOf(typedGrid) : namedGrid,
      interval_seconds: Number(interval),
      intervals: Number(intervals),
      store_url: null,
    })
  return (
    <Form className={styles['new']} aria-label="New profile run" onSubmit={submit}>
      <div className={styles['fields']}>
        <TextField label="Label" hint="optional" value={label} onChange={(event) => setLabel(event.target.value)} />
        <SelectField
          label="Grid"
          value={typedGrid ? 'own' : namedGrid}
          onChange={({ target: { value } }) => {
            useOwnGrid.setState({ typed: value === 'own' ? (typedGrid ?? START) : null })
            if (value !== 'own') setNamedGrid(value === 'default' ? 'default' : 'small')
          }}
        >
          <option value="small">Small: a first look</option>
          <option value="default">Default: the whole grid</option>
          <option value="own">Own: choose the points</option>
        </SelectField>
        <TextField
          label="Interval"
          suffix="s"
          inputMode="decimal"
          required
          value={interval}
          error={errors.interval}
          onChange={(event) => setInterval(event.target.value)}
        />
        <TextField
          label="Intervals"
          inputMode="numeric"
          required
          value={intervals}
          error={errors.intervals}
          onChange={(event) => setIntervals(event.target.value)}
        />
      </div>
      {typedGrid ? <OwnGrid typed={typedGrid} /> : null}
      <div className={styles['start']}>
        <Button
          type="submit"
          look="primary"
          icon={<Play size={13} aria-hidden />}
          disabled={start.isPending || !isValid}
        >
          Start run
        </Button>
        <p className={styles['hint']}>
          {typedGrid ? `${gridError(typedGrid) ?? plural(pointsOf(gridOf(typedGrid)), 'point')}. ` : ''}
          {isValid
            ? `Takes about ${formatDuration(duration)}: every point of the grid is measured in each interval.`
            : 'Every point of the grid is measured in each interval.'}
          {isBusy ? ' It waits until the run under way has ended.' : ''}
        </p>
      </div>
      {start.error ? <ErrorNotice error={start.error} /> : null}
    </Form>
  )
}

/** The message for a grid that the server would refuse; undefined for a valid one. */
function gridError(typed: TypedGrid): string | undefined {
  if (DIMENSIONS.some(({ name }) => levelsError(name, typed[name]) !== undefined)) return 'Some levels are no numbers'
  const points = pointsOf(gridOf(typed))
  if (points === 0) return 'The grid has no points: give an operator its levels'
  return points > MOST_POINTS ? `${formatCount(points)} points are more than ${formatCount(MOST_POINTS)}` : undefined
}
