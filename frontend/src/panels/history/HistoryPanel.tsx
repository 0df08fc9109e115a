import { useInfiniteQuery } from '@tanstack/react-query'
import { History } from 'lucide-react'
import { saves } from '../../api/queries'
import type { Save } from '../../api/types'
import { setView, useView } from '../../app/url-state'
import { useDocuments } from '../../documents/documents'
import { Badge } from '../../ui/Badge'
import { Button } from '../../ui/Button'
import { EmptyState } from '../../ui/EmptyState'
import { SelectField } from '../../ui/Field'
import { ErrorNotice } from '../../ui/Notice'
import { formatDay } from '../../units'
import styles from './history.module.css'
import { SaveDetail } from './SaveDetail'

/** Every save of the application: what it changed, how it differs from the text of now, and a way back to it. */
export default function HistoryPanel() {
  const { application, save: chosen, savesOf: path = null } = useView()
  const files = useDocuments((state) => state.files)
  const revisions = files.map(({ revision }) => revision).join()
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(
    saves(application, path, revisions),
  )
  if (error && !data) return <ErrorNotice error={error} />
  if (!data) return <EmptyState title="Reading the history…" />
  const number = Number(chosen) || data[0]?.number
  return (
    <div className={styles['panel']}>
      <div className={styles['columns']}>
        <section className={styles['list']} aria-label="Saves">
          <SelectField
            label="Saves of"
            value={path ?? ''}
            onChange={(event) => setView({ savesOf: event.target.value || undefined })}
          >
            <option value="">all files</option>
            {files.map((file) => (
              <option key={file.path}>{file.path}</option>
            ))}
          </SelectField>
          {data.length === 0 ? (
            <EmptyState icon={<History size={22} aria-hidden />} title="Nothing has been saved yet">
              Each save of a file is kept here, and can be brought back.
            </EmptyState>
          ) : null}
          <ol aria-label="Saves, the newest first">
            {data.map((item) => (
              <SaveItem key={item.number} save={item} isChosen={item.number === number} />
            ))}
          </ol>
          {hasNextPage ? (
            <Button disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
              Show earlier saves
            </Button>
          ) : null}
        </section>
        {number ? <SaveDetail key={number} application={application} number={number} listed={data} /> : null}
      </div>
    </div>
  )
}

function SaveItem({ save, isChosen }: { save: Save; isChosen: boolean }) {
  return (
    <li>
      <button
        type="button"
        className={styles['save']}
        aria-current={isChosen}
        onClick={() => setView({ save: String(save.number), compared: undefined })}
      >
        <span className={styles['message']}>{save.message}</span>
        <span className={styles['when']}>
          save {save.number} · {formatDay(save.at)}
        </span>
        {save.deployments.map((name) => (
          <Badge key={name} tone="accent">
            {name}
          </Badge>
        ))}
      </button>
    </li>
  )
}
