import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Play } from 'lucide-react'
import { useState } from 'react'
import { answered, api } from '../../api/client'
import type { ProfileRunCreate } from '../../api/types'
import { Button } from '../../ui/Button'
import { SelectField, TextField } from '../../ui/Field'
import { ErrorNotice } from '../../ui/Notice'
import { numberError, RUN_RULES } from '../../logic/numbers'
import { formatDuration } from '../../units'
import styles from './profile.module.css'
import { putRun } from './run-events'

export function NewRun({ isBusy }: { isBusy: boolean }) {
  const queryClient = useQueryClient()
  const [label, setLabel] = useState('')
  const [grid, setGrid] = useState<'small' | 'default'>('small')
  const [interval, setInterval] = useState('30')
  const [intervals, setIntervals] = useState('3')
  const start = useMutation({
    mutationFn: (body: ProfileRunCreate) => answered(api.POST('/api/profile-runs', { body })),
    onSuccess: (run) => {
      putRun(queryClient, run)
      setLabel('')
    },
  })
  const errors = { interval: numberError(interval, RUN_RULES.interval), intervals: numberError(intervals, RUN_RULES.intervals) }
  const isWhole = errors.interval === undefined && errors.intervals === undefined
  const duration = Number(interval) * Number(intervals)
  const submit = () =>
    start.mutate({
      label: label.trim() || null,
      grid,
      interval_seconds: Number(interval),
      intervals: Number(intervals),
      store_url: null,
    })
  return (
    <form
      className={styles['new']}
      aria-label="New profile run"
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <div className={styles['fields']}>
        <TextField label="Label" hint="optional" value={label} onChange={(event) => setLabel(event.target.value)} />
        <SelectField label="Grid" value={grid} onChange={(event) => setGrid(event.target.value === 'default' ? 'default' : 'small')}>
          <option value="small">Small: a first look</option>
          <option value="default">Default: the whole grid</option>
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
      <div className={styles['start']}>
        <Button type="submit" look="primary" icon={<Play size={13} aria-hidden />} disabled={start.isPending || !isWhole}>
          Start run
        </Button>
        <p className={styles['hint']}>
          {isBusy ? 'A run is under way; another waits for it.' : isWhole ? `Takes about ${formatDuration(duration)}: every point of the grid is measured in each interval.` : 'Every point of the grid is measured in each interval.'}
        </p>
      </div>
      {start.error ? <ErrorNotice error={start.error} /> : null}
    </form>
  )
}
