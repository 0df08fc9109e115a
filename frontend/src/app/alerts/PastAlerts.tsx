import { useId } from 'react'
import type { Alert } from '../../api/types'
import { kindText, toldText } from '../../logic/alert-words'
import { Badge } from '../../ui/Badge'
import { Cell, Table } from '../../ui/Table'
import { formatDay } from '../../units'
import styles from './alerts.module.css'

/** The last alerts, the newest first: when something began to be wrong, and when it was over. */
export function PastAlerts({ past }: { past: readonly Alert[] }) {
  const titleId = useId()
  return (
    <section className={styles['section']} aria-labelledby={titleId}>
      <h2 id={titleId}>History</h2>
      {past.length === 0 ? <p className={styles['soft']}>Nothing yet.</p> : null}
      {past.length > 0 ? (
        <div className={styles['history']}>
          <Table label="History of alerts" columns={['When', 'State', 'What', 'Kind', 'Told']}>
            {past.map((alert) => (
              <tr key={alert.id}>
                <Cell className={styles['when']}>{formatDay(alert.at)}</Cell>
                <Cell>
                  <Badge tone={alert.state === 'firing' ? 'danger' : 'accent'}>
                    {alert.state === 'firing' ? 'began' : 'over'}
                  </Badge>
                </Cell>
                <Cell className={styles['text']}>
                  {alert.message}
                  <span className={styles['folded']}>
                    {kindText(alert.kind)}, {toldText(alert)}
                  </span>
                </Cell>
                <Cell>{kindText(alert.kind)}</Cell>
                <Cell>{toldText(alert)}</Cell>
              </tr>
            ))}
          </Table>
        </div>
      ) : null}
    </section>
  )
}
