import { useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { applications } from '../../api/queries'
import { Button } from '../../ui/Button'
import { EmptyState } from '../../ui/EmptyState'
import { ErrorNotice } from '../../ui/Notice'
import { Table, unseen } from '../../ui/Table'
import { plural } from '../../units'
import { region } from '../regions'
import { ApplicationRow } from './ApplicationRow'
import styles from './home.module.css'
import { NewApplication } from './NewApplication'

/** The home page: a table of all applications, the archived ones behind a button, and a dialog for a new one. */
export default function HomePage() {
  const { data, error } = useQuery(applications)
  const [isMaking, setMaking] = useState(false)
  const [isArchiveShown, setArchiveShown] = useState(false)
  const open = data?.filter((application) => !application.is_archived) ?? []
  const archived = data?.filter((application) => application.is_archived) ?? []
  return (
    <main id="content" className={styles['page']} {...region('Applications')}>
      <div className={styles['head']}>
        <h1 className={styles['title']}>{data ? plural(open.length, 'application') : 'Applications'}</h1>
        <Button look="primary" icon={<Plus size={14} aria-hidden />} onClick={() => setMaking(true)}>
          New application
        </Button>
      </div>
      {error && !data ? <ErrorNotice error={error} /> : null}
      {data && open.length === 0 ? (
        <EmptyState title="There is no application yet">
          Make one of a template, with data to try it on, or an empty one.
        </EmptyState>
      ) : null}
      {open.length > 0 ? <Applications label="Applications" rows={open} /> : null}
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
      {isMaking ? <NewApplication onClose={() => setMaking(false)} /> : null}
    </main>
  )
}

function Applications({ label, rows }: { label: string; rows: Parameters<typeof ApplicationRow>[0]['application'][] }) {
  return (
    <Table label={label} columns={['Application', 'Live', 'SLOs in the last hour', 'Last deployed', unseen('Actions')]}>
      {rows.map((application) => (
        <ApplicationRow key={application.id} application={application} />
      ))}
    </Table>
  )
}
