import { useQuery } from '@tanstack/react-query'
import { messageOf } from '../api/client'
import { workspaces } from '../api/queries'
import { EmptyState } from '../ui/EmptyState'
import { useView } from './url-state'
import { ViewLink } from './ViewLink'

/** What stands in the place of a workspace until it is open: what is awaited, or why it fails and what there is instead. */
export function OpeningWorkspace({ error }: { error: Error | null }) {
  const { workspace } = useView()
  const { data, error: listError } = useQuery({ ...workspaces, enabled: workspace === '' || error !== null })
  const failure = error ?? listError
  if (failure) {
    const known = (data ?? []).filter(({ id }) => id !== workspace)
    return (
      <EmptyState
        title="The workspace could not be opened"
        actions={known.map(({ id, title }) => (
          <ViewLink key={id} to={{ workspace: id, file: undefined, query: undefined }}>
            Open {title}
          </ViewLink>
        ))}
      >
        {messageOf(failure)}
      </EmptyState>
    )
  }
  if (workspace === '' && data?.length === 0) {
    return (
      <EmptyState title="There is no workspace yet">
        Make a folder with files that end in .piql below <code>workspaces/</code> in the data folder of the server: it
        is opened at once.
      </EmptyState>
    )
  }
  return <EmptyState title="Opening the workspace…" />
}
