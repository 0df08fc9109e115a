import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useId, useState } from 'react'
import { answered, api } from '../../api/client'
import type { Token } from '../../api/types'
import { Button } from '../../ui/Button'
import { Dialog, DialogActions } from '../../ui/Dialog'
import { Form } from '../../ui/Form'
import { ErrorNotice } from '../../ui/Notice'
import { Cell, Table, unseen } from '../../ui/Table'
import { formatDay } from '../../units'
import { MakeToken } from './MakeToken'
import { reachOf, tokens } from './team'
import styles from './team-page.module.css'

/** One's API tokens: what each may do, until when, and when it was used. */
export function Tokens() {
  const titleId = useId()
  const { data, error } = useQuery(tokens)
  const [isMaking, setMaking] = useState(false)
  const [revoked, setRevoked] = useState<Token | null>(null)
  return (
    <section className={styles['section']} aria-labelledby={titleId}>
      <div className={styles['head']}>
        <h2 id={titleId}>API tokens</h2>
        <Button icon={<Plus size={14} aria-hidden />} onClick={() => setMaking(true)}>
          New token
        </Button>
      </div>
      {error ? <ErrorNotice error={error} /> : null}
      {data?.length === 0 ? (
        <p className={styles['soft']}>None yet. A program sends one as its password, such as a build or an observer.</p>
      ) : null}
      {data && data.length > 0 ? (
        <Table label="API tokens" columns={['Title', 'May at most', 'Ends', 'Last used', unseen('Actions')]}>
          {data.map((token) => (
            <tr key={token.id}>
              <th scope="row">{token.title}</th>
              <Cell>
                {token.role} in {reachOf(token.application)}
              </Cell>
              <Cell>{formatDay(token.ends_at)}</Cell>
              <Cell>{token.used_at ? formatDay(token.used_at) : 'never'}</Cell>
              <Cell>
                <Button
                  size="small"
                  look="quiet"
                  aria-label={`Revoke: ${token.title}`}
                  onClick={() => setRevoked(token)}
                >
                  Revoke
                </Button>
              </Cell>
            </tr>
          ))}
        </Table>
      ) : null}
      {isMaking ? <MakeToken onClose={() => setMaking(false)} /> : null}
      {revoked ? <RevokeToken token={revoked} onClose={() => setRevoked(null)} /> : null}
    </section>
  )
}

function RevokeToken({ token, onClose }: { token: Token; onClose: () => void }) {
  const queryClient = useQueryClient()
  const revoke = useMutation({
    mutationFn: () => answered(api.DELETE('/api/tokens/{token_id}', { params: { path: { token_id: `${token.id}` } } })),
    onSuccess: () => {
      onClose()
      return queryClient.invalidateQueries({ queryKey: tokens.queryKey })
    },
  })
  return (
    <Dialog title={`Revoke ${token.title}?`} onClose={onClose}>
      <Form className={styles['form']} onSubmit={() => revoke.mutate()}>
        <p>Whatever uses it is refused at once. It cannot be brought back.</p>
        {revoke.error ? <ErrorNotice error={revoke.error} /> : null}
        <DialogActions>
          <Button onClick={onClose}>Keep it</Button>
          <Button type="submit" look="danger" disabled={revoke.isPending}>
            Revoke token
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  )
}
