import { MessageSquarePlus, Play, Sigma } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { useShallow } from 'zustand/react/shallow'
import { editor } from '../../app/editor-bridge'
import { notify } from '../../app/notices'
import { openPanel } from '../../app/panel-view'
import { region } from '../../app/regions'
import { requestRun } from '../../app/run-request'
import { useSelectedQuery } from '../../app/selection'
import { useView } from '../../app/url-state'
import { documentAt, keepMineAsCopy, type TextDocument, takeTheirs, useDocuments } from '../../documents/documents'
import { Button, IconButton } from '../../ui/Button'
import { Dialog } from '../../ui/Dialog'
import { EmptyState } from '../../ui/EmptyState'
import { Notice } from '../../ui/Notice'
import { PartBoundary } from '../../ui/PartBoundary'
import { TextDiff } from '../../ui/TextDiff'
import styles from './editor.module.css'
import { Together } from './Together'

const CodeEditor = lazy(() => import('./CodeEditor'))

/** The open file: its path, buttons for the current query, a notice if the server has a newer text, and the editor. */
export function EditorPanel() {
  const view = useView()
  const file = useFile(view.file)
  const query = useSelectedQuery()
  return (
    <section className={styles['panel']} {...region('Editor')}>
      <div className={styles['bar']}>
        <FileName path={file?.path ?? null} />
        {file ? <Together path={file.path} /> : null}
        {file ? (
          <IconButton
            label="Comment on the line at the caret"
            size="small"
            className={styles['comment']}
            onClick={() => editor()?.comment(true)}
          >
            <MessageSquarePlus size={14} aria-hidden />
          </IconButton>
        ) : null}
        {query ? (
          <span className={styles['actions']}>
            <Button
              size="small"
              look="quiet"
              className={styles['explain']}
              title={`Explain ${query.name}`}
              icon={<Sigma size={13} aria-hidden />}
              onClick={() => openPanel('bounds')}
            >
              <span className={styles['cut']}>Explain {query.name}</span>
            </Button>
            <Button
              size="small"
              look="quiet"
              icon={<Play size={13} aria-hidden />}
              title={`Run ${query.name}`}
              onClick={() => void requestRun('elsewhere')}
            >
              Run
            </Button>
          </span>
        ) : null}
      </div>
      {file?.conflict ? <Conflict file={file} /> : null}
      {file ? (
        <PartBoundary>
          <Suspense fallback={<pre className={styles['plain']}>{documentAt(file.path)?.text}</pre>}>
            <CodeEditor path={file.path} />
          </Suspense>
        </PartBoundary>
      ) : (
        <EmptyState title="No files">Make a file in the application on the left.</EmptyState>
      )}
    </section>
  )
}

/** A file without what changes with each key, or the first one; null in a text without files. */
type FileHead = Pick<TextDocument, 'path' | 'conflict'>

function useFile(path: string | undefined): FileHead | null {
  return useDocuments(
    useShallow(({ files }) => {
      const file = files.find((candidate) => candidate.path === path) ?? files[0]
      return file ? { path: file.path, conflict: file.conflict } : null
    }),
  )
}

function FileName({ path }: { path: string | null }) {
  if (path === null) return <span />
  const folder = path.slice(0, path.lastIndexOf('/') + 1)
  return (
    <h2 className={styles['path']} title={path}>
      <span className={styles['cut']}>
        {folder ? <span className={styles['folder']}>{folder.replaceAll('/', ' / ')}</span> : null}
        {path.slice(folder.length)}
      </span>
      <Unsaved path={path} />
    </h2>
  )
}

/** The dot of a file that is not saved. It comes and goes with the keys, so it is drawn by itself. */
function Unsaved({ path }: { path: string }) {
  const saveState = useDocuments(({ files }) => files.find((file) => file.path === path)?.saveState ?? 'saved')
  return saveState === 'saved' ? null : <span className={styles['dirty']} title={saveState} />
}

/** Says that the server has a newer text, and lets the reader compare and choose. */
function Conflict({ file }: { file: FileHead }) {
  const [isComparing, setComparing] = useState(false)
  const keepCopy = () => {
    const copy = keepMineAsCopy(file.path)
    if (copy) notify({ tone: 'info', text: `What you typed is in ${copy}; ${file.path} is as on the server.` })
  }
  return (
    <div className={styles['conflict']}>
      <Notice
        tone="warning"
        role="alert"
        help="What you typed is kept in this browser; it is not saved and cannot be deployed until you choose."
        actions={
          <span className={styles['actions']}>
            <Button size="small" onClick={() => setComparing(true)}>
              Compare
            </Button>
            <Button size="small" onClick={() => takeTheirs(file.path)}>
              Take theirs
            </Button>
            <Button size="small" look="primary" onClick={keepCopy}>
              Keep mine as a copy
            </Button>
          </span>
        }
      >
        {file.path} is newer on the server: somebody changed it while you did.
      </Notice>
      {isComparing && file.conflict ? (
        <Dialog title={`${file.path}: theirs and yours`} onClose={() => setComparing(false)}>
          <p>Lines with − are theirs, lines with + are yours.</p>
          <TextDiff
            files={[{ path: file.path, before: file.conflict.text, after: documentAt(file.path)?.text ?? '' }]}
          />
        </Dialog>
      ) : null}
    </div>
  )
}
