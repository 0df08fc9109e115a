import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Play, Square } from 'lucide-react'
import { answered, api } from '../../api/client'
import { experiments, isUnderWay } from '../../api/experiment-queries'
import type { Experiment } from '../../api/types'
import { Button } from '../../ui/Button'
import { ErrorNotice } from '../../ui/Notice'

/** Runs an experiment, or stops it while it runs. */
export function RunButton({ experiment }: { experiment: Experiment }) {
  const queryClient = useQueryClient()
  const isRunning = isUnderWay(experiment)
  const path = { params: { path: { name: experiment.name } } }
  const change = useMutation({
    mutationFn: () =>
      answered(
        isRunning ? api.POST('/api/experiments/{name}/cancel', path) : api.POST('/api/experiments/{name}/runs', path),
      ),
    onSettled: () => queryClient.invalidateQueries({ queryKey: experiments.queryKey }),
  })
  const action = isRunning ? 'Cancel' : experiment.verdict ? 'Run again' : 'Run'
  return (
    <>
      {change.error ? <ErrorNotice error={change.error} /> : null}
      <Button
        size="small"
        icon={isRunning ? <Square size={12} aria-hidden /> : <Play size={12} aria-hidden />}
        disabled={change.isPending || experiment.state === 'cancelling'}
        onClick={() => change.mutate()}
        aria-label={`${action} ${experiment.title}`}
      >
        {action}
      </Button>
    </>
  )
}
