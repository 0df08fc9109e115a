import { FileCode2, FileInput, FilePlus2, Folder, Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { messageOf } from '../../api/client'
import { editor, reveal } from '../../app/editor-bridge'
import { notify } from '../../app/notices'
import { setView, useView } from '../../app/url-state'
import { createFile } from '../../documents/creating'
import { deleteFile } from '../../documents/deleting'
import { type TextDocument, useDocuments } from '../../documents/documents'
import { renameFile } from '../../documents/renaming'
import { Button, IconButton } from '../../ui/Button'
import { Dialog, DialogActions } from '../../ui/Dialog'
import { TextField } from '../../ui/Field'
import { Form } from '../../ui/Form'
import { useFileProblems } from '../problems/ProblemsPanel'
import styles from './application.module.css'
import { ImportSchema } from './ImportSchema'
import { Section } from './Section'

/** The files of the application by folder, each with its problems, and dialogs that create, rename, delete and import. */
export function Files() {
  const files = useDocuments((state) => state.files)
  const [isCreating, setCreating] = useState(false)
  const [isImporting, setImporting] = useState(false)
  const folders = [...new Set(files.map((file) => folderOf(file.path)))]
  return (
    <Section
      title="Files"
      count={files.length}
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
        {folders.map((folder) => (
          <li key={folder}>
            {folder === '' ? null : (
              <span className={styles['folder']}>
                <Folder size={13} aria-hidden />
                {folder}
              </span>
            )}
            <ul aria-label={folder === '' ? 'Top folder' : folder} data-nested={folder !== ''}>
              {files
                .filter((file) => folderOf(file.path) === folder)
                .map((file) => (
                  <FileRow key={file.path} file={file} />
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

/** One file: a click opens it; a dot says that it is not saved, a number how many problems it has. */
function FileRow({ file }: { file: TextDocument }) {
  const { file: open } = useView()
  const { errors, warnings } = useFileProblems(file.path)
  const [isDeleting, setDeleting] = useState(false)
  const [isRenaming, setRenaming] = useState(false)
  return (
    <li className={styles['fileRow']}>
      <button
        type="button"
        className={styles['file']}
        aria-current={file.path === open}
        title={file.path}
        data-tone={errors > 0 ? 'danger' : warnings > 0 ? 'warning' : undefined}
        onClick={() => setView({ file: file.path })}
      >
        <FileCode2 size={13} className={styles['rowIcon']} aria-hidden />
        <span className={styles['fileName']}>{file.path.slice(file.path.lastIndexOf('/') + 1)}</span>
        {file.saveState === 'saved' ? null : (
          <span
            className={styles['dirty']}
            data-tone={file.saveState === 'conflict' ? 'danger' : undefined}
            title={file.saveState}
          >
            <span className="visually-hidden">, {file.saveState}</span>
          </span>
        )}
        {errors + warnings > 0 ? (
          <span className={styles['fileCount']}>
            {errors + warnings}
            <span className="visually-hidden"> {errors + warnings === 1 ? 'problem' : 'problems'}</span>
          </span>
        ) : null}
      </button>
      <span className={styles['fileActions']}>
        <IconButton label={`Rename ${file.path}`} size="small" onClick={() => setRenaming(true)}>
          <Pencil size={13} aria-hidden />
        </IconButton>
        <IconButton label={`Delete ${file.path}`} size="small" onClick={() => setDeleting(true)}>
          <Trash2 size={13} aria-hidden />
        </IconButton>
      </span>
      {isRenaming ? <RenameFile path={file.path} onClose={() => setRenaming(false)} /> : null}
      {isDeleting ? <DeleteFile path={file.path} onClose={() => setDeleting(false)} /> : null}
    </li>
  )
}

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
