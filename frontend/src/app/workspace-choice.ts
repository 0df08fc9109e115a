/** Which workspace an address means that names none: the first that the server has. */
import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { workspaces } from '../api/queries'
import { replaceView, useView } from './url-state'

export function useNamedWorkspace(): void {
  const { workspace } = useView()
  const { data } = useQuery({ ...workspaces, enabled: workspace === '' })
  const first = data?.[0]?.id
  useEffect(() => {
    if (workspace === '' && first) replaceView({ workspace: first })
  }, [workspace, first])
}
