import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { GitPullRequestArrow } from 'lucide-react'
import { useId } from 'react'
import { closedRequests, openRequests } from '../../api/request-queries'
import type { DeployRequest } from '../../api/types'
import { byText, listText, STATUS_WORDS } from '../../logic/request-words'
import { Badge } from '../../ui/Badge'
import { Button } from '../../ui/Button'
import { EmptyState } from '../../ui/EmptyState'
import { ErrorNotice } from '../../ui/Notice'
import { formatDay } from '../../units'
import framed from '../framed-list.module.css'
import { useEnvironment } from '../url-state'
import { ViewLink } from '../ViewLink'
import styles from './requests.module.css'

/** The requests that are open, then those that are over. */
export function RequestList() {
  const titleId = useId()
  const environment = useEnvironment()
  const { data: open, error } = useQuery(openRequests(environment))
  const closed = useInfiniteQuery(closedRequests(environment))
  return (
    <>
      {error ? <ErrorNotice error={error} /> : null}
      {open?.length === 0 ? (
        <div className={styles['none']}>
          <EmptyState
            icon={<GitPullRequestArrow size={22} aria-hidden />}
            title="No request is open"
            actions={<ViewLink to={{ page: 'workbench', panel: 'deploy' }}>Go to Deploy</ViewLink>}
          >
            A request asks for a text to be deployed, so that others can look at it first. Open one in the panel Deploy.
          </EmptyState>
        </div>
      ) : null}
      {open && open.length > 0 ? <Requests label="Open requests" requests={open} /> : null}
      {closed.error ? <ErrorNotice error={closed.error} /> : null}
      {closed.data && closed.data.length > 0 ? (
        <section className={styles['section']} aria-labelledby={titleId}>
          <h2 id={titleId}>Over</h2>
          <Requests label="Requests that are over" requests={closed.data} />
          {closed.hasNextPage ? (
            <Button disabled={closed.isFetchingNextPage} onClick={() => void closed.fetchNextPage()}>
              Show earlier requests
            </Button>
          ) : null}
        </section>
      ) : null}
    </>
  )
}

function Requests({ label, requests }: { label: string; requests: readonly DeployRequest[] }) {
  return (
    <ul className={framed['list']} aria-label={label}>
      {requests.map((request) => {
        const { word, tone } = STATUS_WORDS[request.status]
        return (
          <li key={request.number} className={framed['item']}>
            <div className={styles['row']}>
              <ViewLink className={styles['title']} to={{ page: 'requests', request: request.number }}>
                {request.number}: {request.title}
              </ViewLink>
              <Badge tone={tone}>{word}</Badge>
              <span className={styles['soft']}>
                asked for{byText(request.author)} on {formatDay(request.opened_at)}
              </span>
            </div>
            <p>{listText(request)}</p>
          </li>
        )
      })}
    </ul>
  )
}
