import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useId } from 'react'
import { answered, api } from '../../api/client'
import { Badge } from '../../ui/Badge'
import { Button } from '../../ui/Button'
import { ErrorNotice } from '../../ui/Notice'
import { Cell, Table, unseen } from '../../ui/Table'
import { formatDay } from '../../units'
import { logins } from './team'
import styles from './team-page.module.css'

/** One's sessions: in which browser, from where, by what and since when, with a button that ends each. */
export function Logins() {
  const titleId = useId()
  const queryClient = useQueryClient()
  const { data, error } = useQuery(logins)
  const onSuccess = () => queryClient.invalidateQueries({ queryKey: logins.queryKey })
  const end = useMutation({
    mutationFn: (session_id: string) =>
      answered(api.DELETE('/api/sessions/{session_id}', { params: { path: { session_id } } })),
    onSuccess,
  })
  const endOthers = useMutation({ mutationFn: () => answered(api.DELETE('/api/sessions/others')), onSuccess })
  const failure = error ?? end.error ?? endOthers.error
  return (
    <section className={styles['section']} aria-labelledby={titleId}>
      <h2 id={titleId}>Where you are signed in</h2>
      {failure ? <ErrorNotice error={failure} /> : null}
      {data ? (
        <Table label="Sessions" columns={['Browser', 'From', 'By', 'Since', 'Last used', unseen('Actions')]}>
          {data.map(({ id, address, browser, provider, begun_at, seen_at, is_this }) => (
            <tr key={id}>
              <th scope="row">
                {browser || 'not known'} {is_this ? <Badge tone="accent">this browser</Badge> : null}
              </th>
              <Cell>{address || 'not known'}</Cell>
              <Cell>{provider ?? 'password'}</Cell>
              <Cell>{formatDay(begun_at)}</Cell>
              <Cell>{formatDay(seen_at)}</Cell>
              <Cell>
                {is_this ? null : (
                  <Button
                    size="small"
                    look="quiet"
                    aria-label={`End: session from ${address}`}
                    onClick={() => end.mutate(id)}
                  >
                    End
                  </Button>
                )}
              </Cell>
            </tr>
          ))}
        </Table>
      ) : null}
      {data && data.length > 1 ? <Button onClick={() => endOthers.mutate()}>End all others</Button> : null}
    </section>
  )
}
