import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Play, Square } from 'lucide-react'
import { answered, api } from '../../api/client'
import { experiments, isUnderWay } from '../../api/experiment-queries'
import type { Experiment } from '../../api/types'
import { Button } from '../../ui/Button'
import { ErrorNotice } from '../../ui/Notice'

/** Runs an experiment on the store `runOn` (empty for none), if it takes one, or stops it while it runs. */
export function RunButton({ experiment, runOn }: { experiment: Experiment; runOn: string }) {
  const queryClient = useQueryClient()
  const isRunning = isUnderWay(experiment)
  const path = { params: { path: { name: experiment.name } } }
  const change = useMutation({
    mutationFn: () =>
      answered(
        isRunning
          ? api.POST('/api/experiments/{name}/cancel', path)
          : api.POST('/api/experiments/{name}/runs', { ...path, body: runOn === '' ? {} : { run_on: runOn } }),
      ),
    onSettled: () => queryClient.invalidateQueries({ queryKey: experiments.queryKey }),
  })
  const takesNone = !isRunning && runOn !== '' && experiment.not_on_stores !== null
  const action = isRunning ? 'Cancel' : experiment.verdict ? 'Run again' : 'Run'
  return (
    <>
      {change.error ? <ErrorNotice error={change.error} /> : null}
      <Button
        size="small"
        icon={isRunning ? <Square size={12} aria-hidden /> : <Play size={12} aria-hidden />}
        disabled={change.isPending || takesNone || experiment.state === 'cancelling'}
        onClick={() => change.mutate()}
        aria-label={`${action} ${experiment.title}`}
      >
        {action}
      </Button>
    </>
  )
}
