import { useId } from 'react'
import type { Overview } from '../../api/types'
import { aboutMs } from '../../logic/estimate'
import { predictedForSeen, rank } from '../../logic/latency-comparison'
import { viewOf } from '../../logic/view'
import { budgetText, TONES, WORDS } from '../../panels/dashboard/verdicts'
import { Badge } from '../../ui/Badge'
import { Cell, numeric, Table, unseen } from '../../ui/Table'
import { formatCount, formatMs, formatPercent, plural } from '../../units'
import { toneOf } from '../environments/tone'
import { ViewLink } from '../ViewLink'
import styles from './overview.module.css'

interface InDangerProps {
  places: readonly Overview[]
  /** The window, which the dashboard that a row leads to has, too. */
  seconds: number
}

/** The queries in danger of all environments, the worst first; each leads to its details in its dashboard. */
export function InDanger({ places, seconds }: InDangerProps) {
  const titleId = useId()
  const ranked = rank(places.flatMap((place) => place.worst.map((latency) => ({ ...latency, place }))))
  const more = places.reduce((sum, place) => sum + place.in_danger, 0) - ranked.length
  if (ranked.length === 0) return null
  return (
    <section className={styles['section']} aria-labelledby={titleId}>
      <h2 id={titleId}>In danger</h2>
      <Table
        label="In danger"
        columns={[
          'Query',
          'Application',
          unseen('Verdict'),
          numeric('p99'),
          numeric('Predicted'),
          numeric('SLO'),
          numeric('Kept'),
          numeric('Budget left'),
          numeric('Executions'),
        ]}
      >
        {ranked.map(({ latency, verdict, sentence }) => {
          const { place } = latency
          return (
            <tr key={`${place.application}/${place.environment}/${latency.query}`}>
              <th scope="row">
                <ViewLink
                  to={{
                    ...viewOf(place.application, place.environment),
                    page: 'dashboard',
                    query: latency.query,
                    window: seconds,
                  }}
                >
                  {latency.query}
                </ViewLink>
              </th>
              <Cell>
                {place.application_title} <Badge tone={toneOf(place.colour)}>{place.environment_title}</Badge>
              </Cell>
              <Cell>
                <Badge tone={TONES[verdict]} title={sentence}>
                  {WORDS[verdict]}
                </Badge>
              </Cell>
              <Cell isNumeric>{formatMs(latency.observed?.p99_ms)}</Cell>
              <Cell isNumeric>{aboutMs(predictedForSeen(latency)?.typical_p99_ms)}</Cell>
              <Cell isNumeric>{formatMs(latency.slo?.threshold_ms)}</Cell>
              <Cell isNumeric>{formatPercent(latency.compliance?.share)}</Cell>
              <Cell isNumeric>{budgetText(latency)}</Cell>
              <Cell isNumeric>{formatCount(latency.executions)}</Cell>
            </tr>
          )
        })}
      </Table>
      {more > 0 ? (
        <p className={styles['soft']}>
          {plural(more, 'more query is', 'more queries are')} in danger: of each environment the worst are here, and its
          dashboard has all.
        </p>
      ) : null}
    </section>
  )
}
