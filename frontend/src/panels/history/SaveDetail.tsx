import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { messageOf } from '../../api/client'
import { save as saveQuery } from '../../api/queries'
import type { Save, SourceFile } from '../../api/types'
import { notify } from '../../app/notices'
import { useDocuments } from '../../documents/documents'
import { restoreTexts } from '../../documents/restoring'
import { changedFiles } from '../../logic/saved-files'
import { Button } from '../../ui/Button'
import { SelectField } from '../../ui/Field'
import { ErrorNotice } from '../../ui/Notice'
import { TextDiff } from '../../ui/TextDiff'
import { formatDay, plural } from '../../units'
import { ChangesBetween } from './ChangesBetween'
import styles from './history.module.css'

type Against = 'before' | 'now'

/** One save against the one before it, or against the text of now, and the way back to its texts. */
export function SaveDetail({ application, save, newest }: { application: string; save: Save; newest?: number }) {
  const [against, setAgainst] = useState<Against>(save.number === newest ? 'before' : 'now')
  const { data: saved, error } = useQuery(saveQuery(application, save.number))
  const hasBefore = save.number > 1
  const { data: before } = useQuery({ ...saveQuery(application, save.number - 1), enabled: hasBefore })
  const documents = useDocuments((state) => state.files)
  if (error) return <ErrorNotice error={error} />
  if (!saved || (hasBefore && !before)) return <p className={styles['reading']}>Reading save {save.number}…</p>
  const now = documents.map(({ path, text }) => ({ path, text }))
  const isNow = against === 'now'
  const [older, later] = isNow ? [saved.files, now] : [before?.files ?? [], saved.files]
  const differences = changedFiles(older, later)
  const toRestore = saved.files.filter(({ path, text }) => now.find((file) => file.path === path)?.text !== text)
  return (
    <section className={styles['detail']} aria-label={`Save ${save.number}`}>
      <h2 className={styles['heading']}>
        Save {save.number}, {formatDay(save.at)}
      </h2>
      <SelectField
        label="Compare"
        value={against}
        onChange={(event) => setAgainst(event.target.value === 'now' ? 'now' : 'before')}
      >
        <option value="before">the save before with this one</option>
        <option value="now">this save with the text of now</option>
      </SelectField>
      {differences.length === 0 ? <p className={styles['reading']}>The texts are the same.</p> : null}
      <ChangesBetween before={older} after={later} />
      <TextDiff files={differences} />
      <Restore application={application} number={save.number} files={toRestore} />
    </section>
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
