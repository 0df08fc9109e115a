import { useQuery } from '@tanstack/react-query'
import { loadRun } from '../../api/load-queries'
import { EmptyState } from '../../ui/EmptyState'
import { ErrorNotice } from '../../ui/Notice'
import { ListPage } from '../ListPage'
import { useEnvironment, useView } from '../url-state'
import { ViewLink } from '../ViewLink'
import { LoadRunList } from './LoadRunList'
import { NewLoadRun } from './NewLoadRun'
import { OneLoadRun } from './OneLoadRun'
import { runTitle } from './run-title'

/** The load runs of an environment with the form that starts one, or the run that the address names. */
export default function LoadRunsPage() {
  const { loadRun: id } = useView()
  return id === undefined ? (
    <ListPage name="Load runs" title="Load runs">
      <NewLoadRun />
      <LoadRunList />
    </ListPage>
  ) : (
    <RunPage key={id} id={id} />
  )
}

function RunPage({ id }: { id: string }) {
  const environment = useEnvironment()
  const { data, error } = useQuery(loadRun(environment, id))
  return (
    <ListPage
      name="Load run"
      title={data ? runTitle(data) : 'Load run'}
      actions={<ViewLink to={{ loadRun: undefined }}>All load runs</ViewLink>}
    >
      {error ? <ErrorNotice error={error} /> : null}
      {data ? <OneLoadRun run={data} /> : error ? null : <EmptyState title="Reading the run…" />}
    </ListPage>
  )
}
