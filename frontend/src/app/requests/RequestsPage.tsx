import { useQuery } from '@tanstack/react-query'
import { deployRequest } from '../../api/request-queries'
import { EmptyState } from '../../ui/EmptyState'
import { ErrorNotice } from '../../ui/Notice'
import { ListPage } from '../ListPage'
import { useEnvironment, useView } from '../url-state'
import { ViewLink } from '../ViewLink'
import { OneRequest } from './OneRequest'
import { RequestList } from './RequestList'
import { Rules } from './Rules'

/** The deploy requests of an environment with its rules, or the one that the address names. */
export default function RequestsPage() {
  const { request } = useView()
  return request === undefined ? (
    <ListPage name="Requests" title="Requests">
      <RequestList />
      <Rules />
    </ListPage>
  ) : (
    <RequestPage key={request} number={request} />
  )
}

function RequestPage({ number }: { number: number }) {
  const environment = useEnvironment()
  const { data, error } = useQuery(deployRequest(environment, number))
  return (
    <ListPage
      name="Request"
      title={data ? `${number}: ${data.title}` : `Request ${number}`}
      actions={<ViewLink to={{ request: undefined }}>All requests</ViewLink>}
    >
      {error ? <ErrorNotice error={error} /> : null}
      {data ? <OneRequest request={data} /> : error ? null : <EmptyState title="Reading the request…" />}
    </ListPage>
  )
}
