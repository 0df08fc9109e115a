import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { allPages } from '../../api/pages'
import { isAdministrator, session } from '../../api/session'
import type { AuditEntry } from '../../api/types'
import { placeOfDeed, wishLines } from '../../logic/record'
import { toCsv } from '../../logic/table-export'
import type { View } from '../../logic/view'
import { Button } from '../../ui/Button'
import { TextField } from '../../ui/Field'
import { Form } from '../../ui/Form'
import { ErrorNotice } from '../../ui/Notice'
import { Cell, numeric, Table } from '../../ui/Table'
import { formatDay } from '../../units'
import { download } from '../export-tables'
import { setView, useView } from '../url-state'
import { ViewLink } from '../ViewLink'
import { TeamPage } from './TeamPage'
import { type RecordFilter, record, recordPage } from './team'
import styles from './team-page.module.css'

const ALL: RecordFilter = { person: '', application: '', operation: '', day: '', path: '' }
const FIELDS = ['at', 'person', 'by', 'address', 'operation', 'application', 'path', 'status', 'wish'] as const

/** Who did what to which application, the newest first, for who administers everything. */
export default function RecordPage() {
  const { data: visit } = useQuery(session)
  const filter = useFilter()
  const [typed, setTyped] = useState(filter)
  const [shown, setShown] = useState(filter)
  if (!isSame(filter, shown)) {
    setShown(filter) // by a link, or by the back button
    setTyped(filter)
  }
  const { data, error, hasNextPage, fetchNextPage, isFetching } = useInfiniteQuery({
    ...record(filter),
    enabled: Boolean(visit?.person && isAdministrator(visit.person)),
  })
  const entries = data?.pages.flatMap((page) => page.items)
  const field = (name: keyof RecordFilter, label: string, type = 'text') => (
    <TextField
      label={label}
      type={type}
      maxLength={name === 'path' ? 500 : 100}
      value={typed[name]}
      onChange={(event) => setTyped({ ...typed, [name]: event.target.value })}
    />
  )
  return (
    <TeamPage title="Record" isForAdministrators actions={<Exports filter={filter} />}>
      <Form className={styles['filter']} onSubmit={() => setView(viewOfFilter(trimmed(typed)))}>
        {field('person', 'Person')}
        {field('application', 'Application')}
        {field('operation', 'Operation')}
        {field('day', 'Day (UTC)', 'date')}
        {field('path', 'About (begin of a path)')}
        <Button type="submit">Filter</Button>
        <Button
          look="quiet"
          onClick={() => {
            setTyped(ALL)
            setView(viewOfFilter(ALL))
          }}
        >
          Show all
        </Button>
      </Form>
      {error ? <ErrorNotice error={error} /> : null}
      {entries?.length === 0 ? <p role="status">Nothing of that is in the record.</p> : null}
      {entries && entries.length > 0 ? (
        <Table
          label="Record"
          columns={['When', 'Who', 'What', 'Asked for', 'Application', 'By', 'From', numeric('Status')]}
        >
          {entries.map((entry) => (
            <Entry key={entry.id} entry={entry} />
          ))}
        </Table>
      ) : null}
      {hasNextPage ? (
        <Button disabled={isFetching} onClick={() => void fetchNextPage()}>
          Show earlier ones
        </Button>
      ) : null}
    </TeamPage>
  )
}

function Entry({ entry }: { entry: AuditEntry }) {
  const { at, person, by, address, operation, application, path, status, wish } = entry
  const place = placeOfDeed(path)
  const what = operation.replaceAll('_', ' ')
  return (
    <tr>
      <Cell>{formatDay(at)}</Cell>
      <Cell>{person ?? 'not known'}</Cell>
      <Cell title={path}>{place ? <ViewLink to={place}>{what}</ViewLink> : what}</Cell>
      <Cell>
        <dl className={styles['wish']}>
          {wishLines(wish).map(({ name, value }) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      </Cell>
      <Cell>{application}</Cell>
      <Cell>{by}</Cell>
      <Cell>{address}</Cell>
      <Cell isNumeric>{status === 0 ? 'broken off' : status}</Cell>
    </tr>
  )
}

/** Downloads all entries that the filter lets through. */
function Exports({ filter }: { filter: RecordFilter }) {
  const save = useMutation({
    mutationFn: async (kind: 'csv' | 'ndjson') => {
      const entries = await allPages((cursor) => recordPage(filter, cursor, 500))
      if (kind === 'ndjson') {
        const lines = entries.map((entry) => `${JSON.stringify(entry)}\n`)
        download('record.ndjson', 'application/x-ndjson', lines.join(''))
      } else {
        const rows = entries.map((entry) => FIELDS.map((name) => `${entry[name] ?? ''}`))
        download('record.csv', 'text/csv', toCsv([...FIELDS], rows))
      }
    },
  })
  return (
    <div className={styles['actions']}>
      <Button disabled={save.isPending} onClick={() => save.mutate('csv')}>
        Export CSV
      </Button>
      <Button disabled={save.isPending} onClick={() => save.mutate('ndjson')}>
        Export NDJSON
      </Button>
      {save.error ? <ErrorNotice error={save.error} /> : null}
    </div>
  )
}

/** What the address asks for. */
function useFilter(): RecordFilter {
  const { person = '', of = '', operation = '', day = '', about = '' } = useView()
  return { person, application: of, operation, day, path: about }
}

function viewOfFilter({ person, application, operation, day, path }: RecordFilter): Partial<View> {
  const texts = { person, of: application, operation, day, about: path }
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, text || undefined]))
}

function isSame(one: RecordFilter, two: RecordFilter): boolean {
  return Object.entries(one).every(([name, text]) => two[name as keyof RecordFilter] === text)
}

function trimmed({ person, application, operation, day, path }: RecordFilter): RecordFilter {
  const name = operation.trim().replaceAll(' ', '_')
  return {
    person: person.trim().toLowerCase(),
    application: application.trim(),
    operation: name,
    day,
    path: path.trim(),
  }
}
