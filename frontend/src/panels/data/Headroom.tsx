import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Raise as Answer, Headroom as HeadroomState, LimitHeadroom, LiveTable } from '../../api/types'
import { useLiveFiles } from '../../app/live-text'
import { useChosenRun, usePredictionsOf } from '../../app/predictions'
import { useEnvironment } from '../../app/url-state'
import { aboutMs } from '../../logic/estimate'
import { Button } from '../../ui/Button'
import { TextField } from '../../ui/Field'
import { Form } from '../../ui/Form'
import { ErrorNotice, Notice } from '../../ui/Notice'
import { Progress } from '../../ui/Progress'
import { Cell, numeric, Table } from '../../ui/Table'
import { formatCount, formatDay, plural } from '../../units'
import styles from './headroom.module.css'
import { cancelCount, countGroups, headroom, raiseLimit } from './headroom-api'
import { LimitFromData } from './LimitFromData'

/** How full the groups under the limits of a table are: counted only when asked to, since that reads all its rows. */
export function Headroom({ table, onClose }: { table: LiveTable; onClose: () => void }) {
  const environment = useEnvironment()
  const queryClient = useQueryClient()
  const { data, error } = useQuery(headroom(environment))
  const onSuccess = (state: HeadroomState) => queryClient.setQueryData(headroom(environment).queryKey, state)
  const count = useMutation({ mutationFn: () => countGroups(environment), onSuccess })
  const stop = useMutation({ mutationFn: () => cancelCount(environment), onSuccess })
  const isCounting = data?.state === 'counting'
  const limits = data?.limits.filter((limit) => limit.table === table.name) ?? []
  const refusal = error ?? count.error ?? stop.error
  return (
    <section className={styles['headroom']} aria-label={`Headroom of ${table.name}`}>
      <div className={styles['head']}>
        <p role="status">{data ? stateInWords(data) : 'Looking for the last count…'}</p>
        {isCounting ? (
          <Button size="small" disabled={stop.isPending} onClick={() => stop.mutate()}>
            Stop
          </Button>
        ) : (
          <Button size="small" disabled={!data || count.isPending} onClick={() => count.mutate()}>
            {data?.counted_at ? 'Count again' : 'Count'}
          </Button>
        )}
        <Button size="small" look="quiet" onClick={onClose}>
          Close
        </Button>
      </div>
      {isCounting ? (
        <Progress
          label="Counting"
          share={data.cost_requests > 0 ? Math.min(1, data.requests_done / data.cost_requests) : null}
        />
      ) : null}
      {data?.state === 'failed' ? <Notice tone="danger">{data.message}</Notice> : null}
      {refusal ? <ErrorNotice error={refusal} /> : null}
      <LimitFromData table={table} />
      {limits.map((limit) => (
        <Limit key={`${limit.is_token}/${limit.columns.join('/')}`} limit={limit} beforeAt={data?.before_at ?? null} />
      ))}
    </section>
  )
}

function stateInWords(data: HeadroomState): string {
  if (data.state === 'counting')
    return `Counting${data.table ? ` ${data.table}` : ''}: ${plural(data.rows_done, 'row')} by ${plural(data.requests_done, 'operation')}…`
  const cost = `Counting reads about ${plural(data.cost_rows, 'row')} by ${plural(data.cost_requests, 'operation')}.`
  if (data.counted_at === null) return `Not counted yet. ${cost}`
  const isPartial = data.limits.some((limit) => !limit.is_complete)
  return `Counted ${formatDay(data.counted_at)}${isPartial ? ', stopped before the end' : ''}. ${cost}`
}

function Limit({ limit, beforeAt }: { limit: LimitHeadroom; beforeAt: string | null }) {
  const group = limit.is_token ? `word in ${limit.columns.join(', ')}` : limit.columns.join(', ') || 'table'
  return (
    <article className={styles['limit']} aria-label={`At most ${limit.limit} per ${group}`}>
      <h3 className={styles['title']}>
        ≤ {formatCount(limit.limit)} per {group}
      </h3>
      <p className={styles['counts']}>
        {plural(limit.groups, 'group')} · {formatCount(limit.nearly_full)} at 80 % or more · {formatCount(limit.full)}{' '}
        full
        {limit.before && beforeAt ? ` · ${growthInWords(limit, beforeAt)}` : ''}
      </p>
      <Histogram limit={limit} />
      {limit.fullest.length > 0 ? (
        <Table label={`Fullest groups per ${group}`} columns={[group, numeric('rows'), numeric('of the limit')]}>
          {limit.fullest.map(({ key, rows }) => (
            <tr key={JSON.stringify(key)}>
              <Cell>{key.map(valueInWords).join(', ')}</Cell>
              <Cell isNumeric>{formatCount(rows)}</Cell>
              <Cell isNumeric>{Math.floor((100 * rows) / limit.limit)} %</Cell>
            </tr>
          ))}
        </Table>
      ) : null}
      <Raise limit={limit} />
    </article>
  )
}

/** `since 12 May, 10:00: +3 groups, +1 full, the fullest +20` */
function growthInWords({ groups, full, fullest, before }: LimitHeadroom, beforeAt: string): string {
  if (!before) return ''
  const signed = (value: number) => (value < 0 ? `−${formatCount(-value)}` : `+${formatCount(value)}`)
  const most = (fullest[0]?.rows ?? 0) - before.most_rows
  return `since ${formatDay(beforeAt)}: ${signed(groups - before.groups)} groups, ${signed(full - before.full)} full, the fullest ${signed(most)}`
}

function valueInWords(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** A bar for each tenth of the limit, as high as it has groups. */
function Histogram({ limit }: { limit: LimitHeadroom }) {
  const most = Math.max(1, ...limit.histogram)
  const words = limit.histogram
    .map((groups, bin) => (groups > 0 ? `${formatCount(groups)} up to ${(bin + 1) * 10} %` : ''))
    .filter(Boolean)
    .join(', ')
  return (
    <figure className={styles['histogram']}>
      <div className={styles['bars']} role="img" aria-label={`Groups by how full they are: ${words || 'none'}`}>
        {limit.histogram.map((groups, bin) => (
          // The bins have no names but their positions.
          // oxlint-disable-next-line react/no-array-index-key
          <span key={bin} className={styles['bar']} title={`${formatCount(groups)} groups up to ${(bin + 1) * 10} %`}>
            <span data-high={bin >= 8} style={{ height: groups > 0 ? `max(2px, ${(100 * groups) / most}%)` : 0 }} />
          </span>
        ))}
      </div>
      <figcaption className={styles['scale']}>
        <span>0 %</span>
        <span>of the limit</span>
        <span>100 %</span>
      </figcaption>
    </figure>
  )
}

/** Says what another limit costs in requests, by compiling the live queries with it. */
function Raise({ limit }: { limit: LimitHeadroom }) {
  const environment = useEnvironment()
  const [number, setNumber] = useState(String(2 * limit.limit))
  const raise = useMutation({ mutationFn: () => raiseLimit(environment, limit, Number(number)) })
  return (
    <>
      <Form className={styles['raise']} aria-label="Another limit" onSubmit={() => raise.mutate()}>
        <TextField
          label="With the limit"
          inputMode="numeric"
          value={number}
          onChange={(event) => setNumber(event.target.value)}
        />
        <Button type="submit" size="small" disabled={raise.isPending}>
          What would it cost?
        </Button>
      </Form>
      <div role="status">
        {raise.data ? (
          raise.data.bounds.length > 0 ? (
            <Raised raised={raise.data} />
          ) : (
            <p>{`None of ${raise.data.queries === 1 ? 'the 1 query' : `the ${formatCount(raise.data.queries)} queries`} would cost more operations.`}</p>
          )
        ) : null}
      </div>
      {raise.error ? <ErrorNotice error={raise.error} /> : null}
    </>
  )
}

/** The bounds that change, with the predicted p99 of both; without a profile run, what would give it. */
function Raised({ raised }: { raised: Answer }) {
  const live = useLiveFiles()
  const hasRun = useChosenRun() !== null
  const boundedBefore = raised.bounds.flatMap(({ query, before }) => (before === null ? [] : [query]))
  const boundedAfter = raised.bounds.flatMap(({ query, after }) => (after === null ? [] : [query]))
  const now = usePredictionsOf(`version ${live?.version}`, [...(live?.files ?? [])], live ? boundedBefore : [])
  const then = usePredictionsOf(JSON.stringify(raised.files), raised.files, boundedAfter)
  const columns = [numeric('≤ now'), numeric('≤ then'), ...(hasRun ? [numeric('p99 now'), numeric('p99 then')] : [])]
  return (
    <>
      <Table label="Bounds with the other limit" columns={['query', ...columns]}>
        {raised.bounds.map(({ query, before, after }) => (
          <tr key={query}>
            <Cell>{query}</Cell>
            <Cell isNumeric>{boundInWords(before)}</Cell>
            <Cell isNumeric>{boundInWords(after)}</Cell>
            {hasRun ? (
              <>
                <Cell isNumeric>{aboutMs(now.get(query)?.typical_p99_ms)}</Cell>
                <Cell isNumeric>{aboutMs(then.get(query)?.typical_p99_ms)}</Cell>
              </>
            ) : null}
          </tr>
        ))}
      </Table>
      {hasRun ? null : <p>Measure this store once, in the panel Profile: then the predicted p99 is shown here, too.</p>}
    </>
  )
}

function boundInWords(bound: number | null): string {
  return bound === null ? 'unbounded' : formatCount(bound)
}
