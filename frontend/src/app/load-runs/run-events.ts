/** Listens to a load run: its state goes into the cached run, its seconds are collected for the charts. */
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { pathOf } from '../../api/environment'
import { isCalling, loadRun, loadRuns } from '../../api/load-queries'
import type { LoadRun, LoadSecond } from '../../api/types'
import { useEnvironment } from '../url-state'

/** The seconds of a run so far, while `isActive`; a stream that was lost begins anew, and is sent all of them again. */
export function useLoadSeconds(id: string, isActive: boolean): readonly LoadSecond[] {
  const queryClient = useQueryClient()
  const environment = useEnvironment()
  const [seconds, setSeconds] = useState<readonly LoadSecond[]>([])
  useEffect(() => {
    if (!isActive) return undefined
    const source = new EventSource(`${pathOf(environment)}/load-runs/${encodeURIComponent(id)}/events`)
    source.addEventListener('open', () => setSeconds([]))
    source.addEventListener('seconds', (event) => {
      const more = JSON.parse(event.data as string) as LoadSecond[]
      setSeconds((before) => [...before, ...more])
    })
    source.addEventListener('run', (event) => {
      const run = JSON.parse(event.data as string) as LoadRun
      queryClient.setQueryData(loadRun(environment, id).queryKey, run)
      if (isCalling(run)) return
      source.close()
      void queryClient.invalidateQueries({ queryKey: loadRuns(environment).queryKey })
    })
    return () => source.close()
  }, [id, isActive, environment, queryClient])
  return seconds
}
