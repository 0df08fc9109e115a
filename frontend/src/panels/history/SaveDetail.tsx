import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { messageOf } from '../../api/client'
import { save as saveQuery } from '../../api/queries'
import type { Save, SourceFile } from '../../api/types'
import { notify } from '../../app/notices'
import { setView, useView } from '../../app/url-state'
import { useDocuments } from '../../documents/documents'
import { restoreTexts } from '../../documents/restoring'
import { comparedWith } from '../../logic/compared-saves'
import { changedFiles } from '../../logic/saved-files'
import { Button } from '../../ui/Button'
import { SelectField } from '../../ui/Field'
import { ErrorNotice } from '../../ui/Notice'
import { TextDiff } from '../../ui/TextDiff'
import { formatDay, plural } from '../../units'
import { ChangesBetween } from './ChangesBetween'
import styles from './history.module.css'
import { PlansBetween } from './PlansBetween'
import type { Side } from './side'

interface SaveDetailProps {
  application: string
  /** The number of the save, which may be none of the list. */
  number: number
  /** The saves of the list, the newest first. */
  listed: readonly Save[]
}

/** One save against the one before it, the text of now, or any other save, and the way back to its texts. */
export function SaveDetail({ application, number, listed }: SaveDetailProps) {
  const { compared } = useView()
  const against = comparedWith(compared, number, listed[0]?.number ?? number)
  const isNow = against === 'now'
  const second = typeof against === 'number' ? against : number - 1
  const needsSecond = !isNow && second > 0
  const { data: saved, error } = useQuery(saveQuery(application, number))
  const { data: other, error: otherError } = useQuery({ ...saveQuery(application, second), enabled: needsSecond })
  const documents = useDocuments((state) => state.files)
  if (error ?? otherError) return <ErrorNotice error={error ?? otherError} />
  if (!saved || (needsSecond && !other))
    return (
      <div className={styles['detail']}>
        <p className={styles['reading']}>Reading save {number}…</p>
      </div>
    )
  const now = documents.map(({ path, text }) => ({ path, text }))
  const own: Side = { name: `save ${number}`, save: number, files: saved.files }
  const that: Side = isNow
    ? { name: 'now', save: null, files: now }
    : { name: second > 0 ? `save ${second}` : 'nothing', save: second, files: other?.files ?? [] }
  const isOlder = isNow || second > number
  const toRestore = saved.files.filter(({ path, text }) => now.find((file) => file.path === path)?.text !== text)
  return (
    <section className={styles['detail']} aria-label={`Save ${number}`}>
      <h2 className={styles['heading']}>
        {saved.message}
        <span className={styles['which']}>
          save {number} · {formatDay(saved.at)}
        </span>
      </h2>
      <SelectField
        label="Compare"
        value={against}
        hint={typeof against === 'number' ? `Before is save ${Math.min(second, number)}, the older one.` : undefined}
        onChange={(event) => setView({ save: String(number), compared: event.target.value })}
      >
        <option value="before">
          {number > 1 ? 'the save before with this one' : 'nothing with this one, the first save'}
        </option>
        <option value="now">this save with the text of now</option>
        <optgroup label="this save with">
          {listed.some((save) => save.number === against) || typeof against !== 'number' ? null : (
            <option value={against}>save {against}</option>
          )}
          {listed
            .filter((save) => save.number !== number)
            .map((save) => (
              <option key={save.number} value={save.number}>
                {[`save ${save.number}`, formatDay(save.at), save.message, ...save.deployments].join(' · ')}
              </option>
            ))}
        </optgroup>
      </SelectField>
      {isOlder ? <Between before={own} after={that} /> : <Between before={that} after={own} />}
      <Restore application={application} number={number} files={toRestore} />
    </section>
  )
}

/** What differs between two versions: the plans of a chosen query, tables, queries, bounds and p99, and the text. */
function Between({ before, after }: { before: Side; after: Side }) {
  const differences = changedFiles(before.files, after.files)
  return (
    <>
      {differences.length === 0 ? <p className={styles['reading']}>The texts are the same.</p> : null}
      <PlansBetween before={before} after={after} />
      <ChangesBetween before={before} after={after} />
      <TextDiff files={differences} />
    </>
  )
}

function Restore({ application, number, files }: { application: string; number: number; files: SourceFile[] }) {
  const [isUnderWay, setUnderWay] = useState(false)
  if (files.length === 0) return null
  const restore = async () => {
    setUnderWay(true)
    try {
      await restoreTexts(application, files)
      notify({ tone: 'info', text: `${plural(files.length, 'file')} as in save ${number}. Undo takes an edit back.` })
    } catch (failure) {
      notify({ tone: 'danger', text: messageOf(failure) })
    }
    setUnderWay(false)
  }
  return (
    <div className={styles['actions']}>
      <p>
        Bring back {files.map(({ path }) => path).join(', ')}. Files that this save did not have stay, and what is
        deployed keeps running.
      </p>
      <Button look="primary" disabled={isUnderWay} onClick={() => void restore()}>
        Restore {plural(files.length, 'file')}
      </Button>
    </div>
  )
}
