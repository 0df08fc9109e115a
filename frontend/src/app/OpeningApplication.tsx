import { useQuery } from '@tanstack/react-query'
import { messageOf } from '../api/client'
import { applications } from '../api/queries'
import { DEVELOPMENT } from '../logic/view'
import { EmptyState } from '../ui/EmptyState'
import { useView } from './url-state'
import { ViewLink } from './ViewLink'

/**
 * Stands in the place of an application until it is open, and says why it cannot be opened and which others there are.
 */
export function OpeningApplication({ error }: { error: Error | null }) {
  const { application } = useView()
  const { data, error: listError } = useQuery({ ...applications, enabled: application === '' || error !== null })
  const failure = error ?? listError
  if (failure) {
    const known = (data ?? []).filter(({ id }) => id !== application)
    return (
      <EmptyState
        title="The application could not be opened"
        actions={known.map(({ id, title, environments: [first = DEVELOPMENT] }) => (
          <ViewLink key={id} to={{ application: id, environment: first, file: undefined, query: undefined }}>
            Open {title}
          </ViewLink>
        ))}
      >
        {messageOf(failure)}
      </EmptyState>
    )
  }
  if (application === '' && data?.length === 0) {
    return (
      <EmptyState title="There is no application yet">
        Make a folder with files that end in .piql below <code>applications/</code> in the data folder of the server: it
        is opened at once.
      </EmptyState>
    )
  }
  return <EmptyState title="Opening the application…" />
}
