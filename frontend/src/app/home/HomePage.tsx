import { useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { applications } from '../../api/queries'
import { listed, type Order } from '../../logic/application-list'
import { DEVELOPMENT, guideOf, overviewOf, viewOf } from '../../logic/view'
import { Button } from '../../ui/Button'
import { EmptyState } from '../../ui/EmptyState'
import { SelectField, TextField } from '../../ui/Field'
import { ErrorNotice, Notice } from '../../ui/Notice'
import { Table, unseen } from '../../ui/Table'
import { plural } from '../../units'
import { ListPage } from '../ListPage'
import { useView } from '../url-state'
import { ViewLink } from '../ViewLink'
import { ApplicationRow } from './ApplicationRow'
import styles from './home.module.css'
import { NewApplication } from './NewApplication'

/** A row asks for what is live in its application, which opens an environment: so more of them come on request. */
const MOST_ROWS = 20
const FEW = 5 // applications, among which nobody searches

/**
 * The home page: a table of all applications, the archived ones behind a button, and a dialog for a new one. An address
 * that leads nowhere comes here, too, and is told.
 */
export default function HomePage() {
  const { data, error } = useQuery(applications)
  const { unknownPath } = useView()
  const [isMaking, setMaking] = useState(false)
  const [isArchiveShown, setArchiveShown] = useState(false)
  const [search, setSearch] = useState('')
  const [order, setOrder] = useState<Order>('name')
  const [isWhole, setWhole] = useState(false)
  const open = data?.filter((application) => !application.is_archived) ?? []
  const fitting = listed(open, search, order)
  const rows = isWhole ? fitting : fitting.slice(0, MOST_ROWS)
  const archived = data?.filter((application) => application.is_archived) ?? []
  const sample = open.find(({ id }) => id === 'scadr') ?? open[0]
  return (
    <ListPage
      name="Applications"
      title={data ? plural(open.length, 'application') : 'Applications'}
      actions={
        <div className={styles['leads']}>
          {open.length > 0 ? <ViewLink to={overviewOf()}>What is in danger</ViewLink> : null}
          <Button look="primary" icon={<Plus size={14} aria-hidden />} onClick={() => setMaking(true)}>
            New application
          </Button>
        </div>
      }
    >
      {unknownPath === undefined ? null : (
        <div className={styles['unknown']}>
          <Notice tone="warning" role="status" help="Here are all applications.">
            There is nothing at <code>{unknownPath}</code>.
          </Notice>
        </div>
      )}
      {error && !data ? <ErrorNotice error={error} /> : null}
      {data && open.length === 0 ? (
        <EmptyState title="There is no application yet">
          Make one of a template, with data to try it on, or an empty one.
        </EmptyState>
      ) : null}
      {open.length > FEW ? (
        <div className={styles['tools']}>
          <TextField
            label="Find an application"
            type="search"
            value={search}
            maxLength={100}
            onChange={(event) => setSearch(event.target.value)}
          />
          <SelectField label="Order" value={order} onChange={(event) => setOrder(event.target.value as Order)}>
            <option value="name">By name</option>
            <option value="change">Last changed first</option>
          </SelectField>
        </div>
      ) : null}
      {rows.length > 0 ? <Applications label="Applications" rows={rows} /> : null}
      {open.length > 0 && rows.length === 0 ? <p role="status">No application has “{search}” in its name.</p> : null}
      {rows.length < fitting.length ? (
        <Button look="quiet" size="small" onClick={() => setWhole(true)}>
          {`Show ${fitting.length - rows.length} more`}
        </Button>
      ) : null}
      {archived.length > 0 ? (
        <Button
          look="quiet"
          size="small"
          aria-expanded={isArchiveShown}
          onClick={() => setArchiveShown(!isArchiveShown)}
        >
          {isArchiveShown ? 'Hide the archive' : `Archive: ${plural(archived.length, 'application')}`}
        </Button>
      ) : null}
      {isArchiveShown && archived.length > 0 ? <Applications label="Archive" rows={archived} /> : null}
      {data ? (
        <p className={styles['first']}>
          New here?{' '}
          {sample ? (
            <>
              The{' '}
              <ViewLink to={{ ...viewOf(sample.id, sample.environments[0] ?? DEVELOPMENT), tour: 1 }}>tour</ViewLink>{' '}
              shows the workbench in a minute.{' '}
            </>
          ) : null}
          The <ViewLink to={guideOf('tutorial')}>tutorial</ViewLink> leads from a schema to a query with a promised
          latency, in SCADr.
        </p>
      ) : null}
      {isMaking ? <NewApplication onClose={() => setMaking(false)} /> : null}
    </ListPage>
  )
}

function Applications({ label, rows }: { label: string; rows: Parameters<typeof ApplicationRow>[0]['application'][] }) {
  return (
    <div className={styles['applications']}>
      <Table
        label={label}
        columns={['Application', 'Live', 'SLOs in the last hour', 'Last deployed', 'Files changed', unseen('Actions')]}
      >
        {rows.map((application) => (
          <ApplicationRow key={application.id} application={application} />
        ))}
      </Table>
    </div>
  )
}
