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

/** The save before, the text of now, or the number of another save. */
type Against = 'before' | 'now' | number

interface SaveDetailProps {
  application: string
  save: Save
  /** The saves of the list, the newest first: any of them can be compared with this one. */
  listed: readonly Save[]
}

/** One save against the one before it, the text of now, or any other save, and the way back to its texts. */
export function SaveDetail({ application, save, listed }: SaveDetailProps) {
  const [chosen, setChosen] = useState<Against>(save.number === listed[0]?.number ? 'before' : 'now')
  const choices = listed.filter(({ number }) => number !== save.number)
  // The list may be cut down to one file's saves after a save was chosen.
  const isGone = typeof chosen === 'number' && !choices.some(({ number }) => number === chosen)
  const against = isGone ? 'before' : chosen
  const isNow = against === 'now'
  const other = typeof against === 'number' ? against : save.number - 1
  const needsOther = !isNow && other > 0
  const { data: saved, error } = useQuery(saveQuery(application, save.number))
  const { data: compared, error: otherError } = useQuery({ ...saveQuery(application, other), enabled: needsOther })
  const documents = useDocuments((state) => state.files)
  if (error ?? otherError) return <ErrorNotice error={error ?? otherError} />
  if (!saved || (needsOther && !compared)) return <p className={styles['reading']}>Reading save {save.number}…</p>
  const now = documents.map(({ path, text }) => ({ path, text }))
  const otherFiles = isNow ? now : (compared?.files ?? [])
  const isOlder = isNow || other > save.number
  const [before, after] = isOlder ? [saved.files, otherFiles] : [otherFiles, saved.files]
  const differences = changedFiles(before, after)
  const toRestore = saved.files.filter(({ path, text }) => now.find((file) => file.path === path)?.text !== text)
  return (
    <section className={styles['detail']} aria-label={`Save ${save.number}`}>
      <h2 className={styles['heading']}>
        Save {save.number}, {formatDay(save.at)}
      </h2>
      <SelectField
        label="Compare"
        value={against}
        hint={
          typeof against === 'number' ? `Before is save ${Math.min(other, save.number)}, the older one.` : undefined
        }
        onChange={(event) => setChosen(againstOf(event.target.value))}
      >
        <option value="before">the save before with this one</option>
        <option value="now">this save with the text of now</option>
        {choices.length > 0 ? (
          <optgroup label="this save with">
            {choices.map(({ number, at, message, deployments }) => (
              <option key={number} value={number}>
                {[`save ${number}`, formatDay(at), message, ...deployments].join(' · ')}
              </option>
            ))}
          </optgroup>
        ) : null}
      </SelectField>
      {differences.length === 0 ? <p className={styles['reading']}>The texts are the same.</p> : null}
      <ChangesBetween before={before} after={after} />
      <TextDiff files={differences} />
      <Restore application={application} number={save.number} files={toRestore} />
    </section>
  )
}

function againstOf(value: string): Against {
  return value === 'before' || value === 'now' ? value : Number(value)
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
