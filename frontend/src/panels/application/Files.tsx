import { FileCode2, FileInput, FilePlus2, Folder, Pencil, Trash2 } from 'lucide-react'
import { memo, useMemo, useState } from 'react'
import { useShallow } from 'zustand/react/shallow'
import { messageOf } from '../../api/client'
import { editor, reveal } from '../../app/editor-bridge'
import { notify } from '../../app/notices'
import { useThreadCounts } from '../../app/threads'
import { setView, useView } from '../../app/url-state'
import { createFile } from '../../documents/creating'
import { deleteFile } from '../../documents/deleting'
import { type SaveState, useDocuments } from '../../documents/documents'
import { renameFile } from '../../documents/renaming'
import { matches } from '../../logic/query-list'
import { Button, IconButton } from '../../ui/Button'
import { Dialog, DialogActions } from '../../ui/Dialog'
import { TextField } from '../../ui/Field'
import { Form } from '../../ui/Form'
import { useProblemsByFile } from '../problems/ProblemsPanel'
import styles from './application.module.css'
import { ImportSchema } from './ImportSchema'
import { ROW, ROW_ACTION } from './rows'
import { Section } from './Section'
import { ThreadCount } from './ThreadCount'

/** The files of the application by folder, each with its problems, and dialogs that create, rename, delete and import. */
export function Files({ filter }: { filter: string }) {
  // Texts are not of interest here: a key must not draw hundreds of files again.
  const paths = useDocuments(useShallow(({ files }) => files.map(({ path }) => path)))
  const unsaved = useUnsaved()
  const { file: open } = useView()
  const problems = useProblemsByFile()
  const { ofFile } = useThreadCounts()
  const shown = useMemo(() => paths.filter((path) => matches(path, filter)), [paths, filter])
  const [isCreating, setCreating] = useState(false)
  const [isImporting, setImporting] = useState(false)
  const folders = useMemo(() => byFolder(shown), [shown])
  return (
    <Section
      title="Files"
      count={paths.length}
      shown={shown.length}
      actions={
        <span className={styles['sectionActions']}>
          <IconButton label="Import schema" size="small" onClick={() => setImporting(true)}>
            <FileInput size={14} aria-hidden />
          </IconButton>
          <IconButton label="New file" size="small" onClick={() => setCreating(true)}>
            <FilePlus2 size={14} aria-hidden />
          </IconButton>
        </span>
      }
    >
      <ul aria-label="Files">
        {folders.map(([folder, inFolder]) => (
          <li key={folder}>
            {folder === '' ? null : (
              <span className={styles['folder']}>
                <Folder size={13} aria-hidden />
                {folder}
              </span>
            )}
            <ul aria-label={folder === '' ? 'Top folder' : folder} data-nested={folder !== ''}>
              {inFolder.map((path) => (
                <FileRow
                  key={path}
                  path={path}
                  saveState={unsaved.get(path) ?? 'saved'}
                  errors={problems.get(path)?.errors ?? 0}
                  warnings={problems.get(path)?.warnings ?? 0}
                  threads={ofFile.get(path) ?? 0}
                  isOpen={path === open}
                />
              ))}
            </ul>
          </li>
        ))}
      </ul>
      {isCreating ? <NewFile onClose={() => setCreating(false)} /> : null}
      {isImporting ? <ImportSchema onClose={() => setImporting(false)} /> : null}
    </Section>
  )
}

/** The files of each folder, in the order in which the folders come first. */
function byFolder(paths: readonly string[]): [string, string[]][] {
  const folders = new Map<string, string[]>()
  for (const path of paths) {
    const inFolder = folders.get(folderOf(path))
    if (inFolder) inFolder.push(path)
    else folders.set(folderOf(path), [path])
  }
  return [...folders]
}

/** How each file is saved that is not saved, by its path. */
function useUnsaved(): ReadonlyMap<string, SaveState> {
  return useDocuments(
    useShallow(
      ({ files }) =>
        new Map(files.flatMap(({ path, saveState }) => (saveState === 'saved' ? [] : [[path, saveState] as const]))),
    ),
  )
}

interface FileRowProps {
  path: string
  saveState: SaveState
  errors: number
  warnings: number
  /** Open threads of comments. */
  threads: number
  isOpen: boolean
}

/** One file: a click opens it; a dot says that it is not saved, numbers how many comments and problems it has. */
const FileRow = memo(function FileRow({ path, saveState, errors, warnings, threads, isOpen }: FileRowProps) {
  const [isDeleting, setDeleting] = useState(false)
  const [isRenaming, setRenaming] = useState(false)
  return (
    <li className={styles['fileRow']}>
      <button
        type="button"
        className={styles['file']}
        aria-current={isOpen}
        title={path}
        data-tone={errors > 0 ? 'danger' : warnings > 0 ? 'warning' : undefined}
        onClick={() => setView({ file: path })}
        {...ROW}
      >
        <FileCode2 size={13} className={styles['rowIcon']} aria-hidden />
        <span className={styles['fileName']}>{path.slice(path.lastIndexOf('/') + 1)}</span>
        {saveState === 'saved' ? null : (
          <span
            className={styles['dirty']}
            data-tone={saveState === 'conflict' ? 'danger' : undefined}
            title={saveState}
          >
            <span className="visually-hidden">, {saveState}</span>
          </span>
        )}
        <ThreadCount count={threads} />
        {errors + warnings > 0 ? (
          <span className={styles['fileCount']}>
            {errors + warnings}
            <span className="visually-hidden"> {errors + warnings === 1 ? 'problem' : 'problems'}</span>
          </span>
        ) : null}
      </button>
      <span className={styles['fileActions']}>
        <IconButton label={`Rename ${path}`} size="small" onClick={() => setRenaming(true)} {...ROW_ACTION}>
          <Pencil size={13} aria-hidden />
        </IconButton>
        <IconButton label={`Delete ${path}`} size="small" onClick={() => setDeleting(true)} {...ROW_ACTION}>
          <Trash2 size={13} aria-hidden />
        </IconButton>
      </span>
      {isRenaming ? <RenameFile path={path} onClose={() => setRenaming(false)} /> : null}
      {isDeleting ? <DeleteFile path={path} onClose={() => setDeleting(false)} /> : null}
    </li>
  )
})

function NewFile({ onClose }: { onClose: () => void }) {
  const { application } = useView()
  const [path, setPath] = useState('queries/')
  const [error, setError] = useState<string>()
  const create = async () => {
    const fullPath = withExtension(path)
    try {
      await createFile(application, fullPath, '')
      onClose()
      reveal({ file: fullPath, start_line: 1, start_column: 1, end_line: 1, end_column: 1 })
      setTimeout(() => editor()?.focus()) // after the dialog has returned the focus
    } catch (failure) {
      setError(messageOf(failure))
    }
  }
  return (
    <Dialog title="New file" onClose={onClose}>
      <Form onSubmit={() => void create()}>
        <TextField
          label="Path"
          hint="ends in .piql"
          value={path}
          error={error}
          onChange={(event) => setPath(event.target.value)}
        />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary">
            Create file
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  )
}

function RenameFile({ path, onClose }: { path: string; onClose: () => void }) {
  const { application, file: open } = useView()
  const [newPath, setNewPath] = useState(path)
  const [error, setError] = useState<string>()
  const rename = async () => {
    const fullPath = withExtension(newPath)
    try {
      if (fullPath !== path) await renameFile(application, path, fullPath)
      if (open === path) setView({ file: fullPath })
      onClose()
    } catch (failure) {
      setError(messageOf(failure))
    }
  }
  return (
    <Dialog title={`Rename ${path}`} onClose={onClose}>
      <Form onSubmit={() => void rename()}>
        <TextField
          label="New path"
          hint="ends in .piql"
          value={newPath}
          error={error}
          onChange={(event) => setNewPath(event.target.value)}
        />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary">
            Rename file
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  )
}

function DeleteFile({ path, onClose }: { path: string; onClose: () => void }) {
  const { application } = useView()
  const remove = async () => {
    try {
      await deleteFile(application, path)
    } catch (failure) {
      notify({ tone: 'danger', text: messageOf(failure) })
    }
    onClose()
  }
  return (
    <Dialog title={`Delete ${path}?`} onClose={onClose}>
      <p>
        Queries and tables in it leave the application. What is deployed keeps running. The history can bring it back.
      </p>
      <DialogActions>
        <Button onClick={onClose}>Keep it</Button>
        <Button look="danger" onClick={() => void remove()}>
          Delete file
        </Button>
      </DialogActions>
    </Dialog>
  )
}

function withExtension(path: string): string {
  return path.endsWith('.piql') ? path : `${path}.piql`
}

/** The folders of a path; empty for a file in the top folder. */
function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')))
}
