import { useId } from 'react'
import type { Overview } from '../../api/types'
import { viewOf } from '../../logic/view'
import { Badge } from '../../ui/Badge'
import { Cell, numeric, Table, unseen } from '../../ui/Table'
import { formatCount } from '../../units'
import { toneOf } from '../environments/tone'
import { ViewLink } from '../ViewLink'
import styles from './overview.module.css'

/** Each environment as a row that leads to its dashboard, in counts of its queries. */
export function Places({ places, seconds }: { places: readonly Overview[]; seconds: number }) {
  const titleId = useId()
  return (
    <section className={styles['section']} aria-labelledby={titleId}>
      <h2 id={titleId}>Environments</h2>
      <Table
        label="Environments"
        columns={[
          'Application',
          'Environment',
          'Live',
          unseen('State'),
          numeric('With an SLO'),
          numeric('Executed'),
          numeric('Executions'),
        ]}
      >
        {places.map((place) => (
          <tr key={`${place.application}/${place.environment}`}>
            <th scope="row">
              <ViewLink
                to={{ ...viewOf(place.application, place.environment), page: 'dashboard', window: seconds }}
                aria-label={`Dashboard of ${place.application_title}, ${place.environment_title}`}
              >
                {place.application_title}
              </ViewLink>
              {place.application_title === place.application ? null : (
                <span className={styles['id']}> {place.application}</span>
              )}
            </th>
            <Cell>
              <Badge tone={toneOf(place.colour)}>{place.environment_title}</Badge>
            </Cell>
            {place.problem === null ? (
              <>
                <Cell>{place.version === null ? 'nothing' : `version ${place.version}`}</Cell>
                <Cell>
                  <State place={place} />
                </Cell>
                <Cell isNumeric>{place.version === null ? '–' : formatCount(place.promised)}</Cell>
                <Cell isNumeric>
                  {place.version === null ? '–' : `${formatCount(place.executed)} of ${formatCount(place.queries)}`}
                </Cell>
                <Cell isNumeric>{place.version === null ? '–' : formatCount(place.executions)}</Cell>
              </>
            ) : (
              <Cell colSpan={5}>
                <Badge tone="danger">not answering</Badge> {place.problem}
              </Cell>
            )}
          </tr>
        ))}
      </Table>
    </section>
  )
}

function State({ place }: { place: Overview }) {
  return (
    <span className={styles['state']}>
      {place.in_danger > 0 ? <Badge tone="danger">{`${formatCount(place.in_danger)} in danger`}</Badge> : null}
      {place.slower > 0 ? <Badge tone="warning">{`${formatCount(place.slower)} slower than predicted`}</Badge> : null}
      {place.in_danger + place.slower === 0 && place.executed > 0 ? <Badge tone="accent">none in danger</Badge> : null}
    </span>
  )
}
