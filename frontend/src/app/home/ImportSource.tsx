import { type DragEvent, type ReactNode, useState } from 'react'
import type { ApplicationImport } from '../../api/types'
import { chosenFiles, droppedFiles, type TextFile } from '../../logic/dropped-files'
import { type EnvironmentForm, missing, NEW_ENVIRONMENT, storeOf } from '../../logic/environment-form'
import { Button } from '../../ui/Button'
import { DialogActions } from '../../ui/Dialog'
import { TextArea, TextField } from '../../ui/Field'
import { Form } from '../../ui/Form'
import { ErrorNotice } from '../../ui/Notice'
import { Progress } from '../../ui/Progress'
import { plural } from '../../units'
import { ClusterFields } from '../environments/ClusterFields'
import styles from './home.module.css'
import { stageArchive, stageFiles, stageFolder, stageKeyspace, stageRepository } from './import-api'

export type Source = 'schema' | 'files' | 'archive' | 'repository' | 'folder' | 'keyspace'

interface SourceProps {
  /** The id of the form: controls outside of it submit it, too. */
  formId: string
  /** The name that was typed, '' for none. */
  title: string
  onStaged: (staged: ApplicationImport) => void
  onClose: () => void
}

/** The fields that say where an application comes from. It is read when they are submitted, and nothing is made. */
export function ImportSource({ source, ...props }: SourceProps & { source: Source }) {
  switch (source) {
    case 'schema':
      return <Schema {...props} />
    case 'files':
      return <Files {...props} />
    case 'archive':
      return <Archive {...props} />
    case 'repository':
      return <Repository {...props} />
    case 'folder':
      return <Folder {...props} />
    case 'keyspace':
      return <Keyspace {...props} />
  }
}

interface AskedProps extends Pick<SourceProps, 'formId' | 'onStaged' | 'onClose'> {
  isReady: boolean
  stage: () => Promise<ApplicationImport>
  children: ReactNode
}

/** A form whose submission reads a source; it says what the server refuses. */
function Asked({ formId, isReady, stage, onStaged, onClose, children }: AskedProps) {
  const [error, setError] = useState<unknown>()
  const [isReading, setReading] = useState(false)
  const read = async () => {
    setReading(true)
    setError(undefined)
    try {
      onStaged(await stage())
    } catch (failure) {
      setError(failure)
    }
    setReading(false)
  }
  return (
    <Form id={formId} className={styles['form']} onSubmit={() => isReady && void read()}>
      {children}
      {error ? <ErrorNotice error={error} /> : null}
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="primary" disabled={isReading || !isReady}>
          {isReading ? 'Reading …' : 'Preview'}
        </Button>
      </DialogActions>
    </Form>
  )
}

function Schema({ title, ...props }: SourceProps) {
  const [text, setText] = useState('')
  const path = /^\s*CREATE\s+QUERY\b/im.test(text) ? 'schema.piql' : 'schema.sql'
  return (
    <Asked {...props} isReady={text.trim() !== ''} stage={() => stageFiles(title || 'Imported', [{ path, text }])}>
      <TextArea
        label="Schema"
        hint="paste it: PostgreSQL, MySQL, SQLite, Oracle, SQL Server or Cassandra"
        rows={8}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
    </Asked>
  )
}

function Files({ title, ...props }: SourceProps) {
  const [files, setFiles] = useState<TextFile[]>([])
  const [problem, setProblem] = useState<unknown>()
  const take = async (given: Promise<TextFile[]>) => {
    setProblem(undefined)
    try {
      setFiles(await given)
    } catch (failure) {
      setFiles([])
      setProblem(failure)
    }
  }
  const drop = (event: DragEvent) => {
    event.preventDefault()
    void take(droppedFiles([...event.dataTransfer.items]))
  }
  return (
    <Asked {...props} isReady={files.length > 0} stage={() => stageFiles(title || 'Imported', files)}>
      <div className={styles['drop']} onDragOver={(event) => event.preventDefault()} onDrop={drop}>
        <p>Drop a folder or files here: .piql, or scripts of SQL where there are none.</p>
        <TextField
          label="Folder"
          type="file"
          {...{ webkitdirectory: '' }}
          onChange={(event) => void take(chosenFiles([...(event.target.files ?? [])]))}
        />
        <TextField
          label="Files"
          type="file"
          multiple
          accept=".piql,.sql,.cql,.ddl"
          onChange={(event) => void take(chosenFiles([...(event.target.files ?? [])]))}
        />
        <p role="status">{files.length > 0 ? `${plural(files.length, 'file')} chosen` : ''}</p>
        {problem ? <ErrorNotice error={problem} /> : null}
      </div>
    </Asked>
  )
}

function Archive(props: SourceProps) {
  const [file, setFile] = useState<File | null>(null)
  const [share, setShare] = useState<number | null>(null)
  return (
    <Asked
      {...props}
      isReady={file !== null}
      stage={() => (file ? stageArchive(file, setShare) : Promise.reject(new Error('Choose a file.')))}
    >
      <TextField
        label="Archive"
        hint="as Export writes it, at most 256 MB"
        type="file"
        accept=".zip"
        onChange={(event) => setFile(event.target.files?.[0] ?? null)}
      />
      {share !== null && share < 1 ? <Progress label="Upload" share={share} /> : null}
    </Asked>
  )
}

function Repository(props: SourceProps) {
  const [address, setAddress] = useState('')
  const [branch, setBranch] = useState('')
  const [folder, setFolder] = useState('')
  const [isShallow, setShallow] = useState(false)
  const body = { address: address.trim(), branch: branch.trim(), folder: folder.trim(), is_shallow: isShallow }
  return (
    <Asked {...props} isReady={body.address !== ''} stage={() => stageRepository(body)}>
      <TextField
        label="Address of the repository"
        placeholder="https://git.example/acme/shop.git"
        value={address}
        maxLength={1000}
        onChange={(event) => setAddress(event.target.value)}
      />
      <TextField
        label="Branch"
        hint="empty: its usual one"
        value={branch}
        maxLength={200}
        onChange={(event) => setBranch(event.target.value)}
      />
      <TextField
        label="Folder in it"
        hint="empty: all of it"
        value={folder}
        maxLength={500}
        onChange={(event) => setFolder(event.target.value)}
      />
      <label className={styles['check']}>
        <input type="checkbox" checked={!isShallow} onChange={(event) => setShallow(!event.target.checked)} />
        Keep its commits as saves
      </label>
      <p>Whoever starts the workbench says which hosts it may fetch from.</p>
    </Asked>
  )
}

function Folder(props: SourceProps) {
  const [path, setPath] = useState('')
  return (
    <Asked {...props} isReady={path.trim() !== ''} stage={() => stageFolder(path.trim())}>
      <TextField
        label="Folder of the server"
        placeholder="/srv/apps/shop"
        value={path}
        maxLength={1000}
        onChange={(event) => setPath(event.target.value)}
      />
      <p>Whoever starts the workbench says which folders it may read.</p>
    </Asked>
  )
}

function Keyspace(props: SourceProps) {
  const [form, setForm] = useState<EnvironmentForm>({
    ...NEW_ENVIRONMENT,
    title: 'Cluster',
    store: 'named',
    url: 'cql://',
  })
  const [prefix, setPrefix] = useState('piql_')
  const set = (part: Partial<EnvironmentForm>) => setForm({ ...form, ...part })
  const isReady = missing(form) === null && /^cql:\/\/[^/]+\/\w+/.test(form.url.trim()) && prefix.trim() !== ''
  return (
    <Asked {...props} isReady={isReady} stage={() => stageKeyspace(storeOf(form), prefix.trim())}>
      <TextField
        label="Address of the keyspace"
        placeholder="cql://db1,db2/shop"
        value={form.url}
        maxLength={2000}
        onChange={(event) => set({ url: event.target.value })}
      />
      <ClusterFields form={form} set={set} />
      <TextField
        label="Tables of PIQL begin with"
        hint="they are written beside those that are there"
        value={prefix}
        maxLength={20}
        onChange={(event) => setPrefix(event.target.value)}
      />
    </Asked>
  )
}
