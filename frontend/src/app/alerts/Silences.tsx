import { useMutation, useQueryClient } from '@tanstack/react-query'
import { BellOff } from 'lucide-react'
import { useId } from 'react'
import { answered, api } from '../../api/client'
import { ENVIRONMENT } from '../../api/environment'
import { alerts } from '../../api/queries'
import type { Silence } from '../../api/types'
import { coverText } from '../../logic/alert-words'
import { Button } from '../../ui/Button'
import { ErrorNotice } from '../../ui/Notice'
import { Cell, Table, unseen } from '../../ui/Table'
import { formatDay } from '../../units'
import { useEnvironment } from '../url-state'
import styles from './alerts.module.css'

interface SilencesProps {
  silences: readonly Silence[]
  /** Whether there is a receiver, so that anything is sent at all. */
  isWatched: boolean
  onMake: () => void
}

/** The silences that are not over: what each covers, until when, why, and a button that ends it. */
export function Silences({ silences, isWatched, onMake }: SilencesProps) {
  const titleId = useId()
  const environment = useEnvironment()
  const queryClient = useQueryClient()
  const end = useMutation({
    mutationFn: (silence: string) =>
      answered(
        api.DELETE(`${ENVIRONMENT}/alerts/silences/{silence}`, { params: { path: { ...environment, silence } } }),
      ),
    onSettled: () => queryClient.invalidateQueries({ queryKey: alerts(environment).queryKey }),
  })
  return (
    <section className={styles['section']} aria-labelledby={titleId}>
      <div className={styles['head']}>
        <h2 id={titleId}>Silences</h2>
        <Button icon={<BellOff size={14} aria-hidden />} onClick={onMake}>
          New silence
        </Button>
      </div>
      {end.error ? <ErrorNotice error={end.error} /> : null}
      {silences.length === 0 ? (
        <p className={styles['soft']}>
          {isWatched ? 'None: whatever is wrong is sent.' : 'None. Without a receiver nothing is sent anyway.'}
        </p>
      ) : null}
      {silences.length > 0 ? (
        <Table label="Silences" columns={['Covers', 'Reason', 'Until', 'By', unseen('Actions')]}>
          {silences.map((silence) => (
            <tr key={silence.id}>
              <Cell>{coverText(silence)}</Cell>
              <Cell className={styles['text']}>{silence.reason}</Cell>
              <Cell className={styles['when']}>{formatDay(silence.until)}</Cell>
              <Cell>{silence.person ?? '–'}</Cell>
              <Cell>
                <Button
                  size="small"
                  look="quiet"
                  aria-label={`End the silence: ${coverText(silence)}`}
                  disabled={end.isPending}
                  onClick={() => end.mutate(silence.id)}
                >
                  End
                </Button>
              </Cell>
            </tr>
          ))}
        </Table>
      ) : null}
    </section>
  )
}
