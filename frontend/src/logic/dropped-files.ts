/**
 * Files of PIQL and SQL out of what was dropped or chosen: a folder is walked through, and what is hidden or of another
 * kind is passed over. Paths begin below the one folder that holds them all.
 */
import { decoded } from './schema-import'

export interface TextFile {
  path: string
  text: string
}

const ENDINGS = ['.piql', '.sql', '.cql', '.ddl']
const MOST_FILES = 1000
const MOST_BYTES = 4_500_000 // of all files: a request has at most 5 MB

/** The files of a list with the folder each lies in, as a chooser gives them. */
export async function chosenFiles(files: readonly File[]): Promise<TextFile[]> {
  return read(files.map((file) => ({ path: file.webkitRelativePath || file.name, file })))
}

/** The files of dropped items; folders are walked through. */
export async function droppedFiles(items: readonly DataTransferItem[]): Promise<TextFile[]> {
  const entries = items.map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null)
  const files: { path: string; file: File }[] = []
  for (const entry of entries) await walk(entry, '', files)
  return read(files)
}

async function walk(entry: FileSystemEntry, folder: string, files: { path: string; file: File }[]): Promise<void> {
  const path = `${folder}${entry.name}`
  if (!isWanted(path, entry.isDirectory)) return
  if (isFolder(entry)) {
    const reader = entry.createReader()
    for (;;) {
      // A reader gives some entries at a time, and none at the end.
      const entries = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject))
      if (entries.length === 0) return
      for (const below of entries) await walk(below, `${path}/`, files)
    }
  }
  if (files.length >= MOST_FILES) throw new Error(`There are more than ${MOST_FILES} files: choose a smaller folder.`)
  files.push({
    path,
    file: await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject)),
  })
}

function isFolder(entry: FileSystemEntry): entry is FileSystemDirectoryEntry {
  return entry.isDirectory
}

/** Whether a path is of a file that may be taken, or of a folder to look into. */
function isWanted(path: string, isDirectory: boolean): boolean {
  if (path.split('/').some((part) => part.startsWith('.'))) return false
  return isDirectory || ENDINGS.some((ending) => path.toLowerCase().endsWith(ending))
}

async function read(files: readonly { path: string; file: File }[]): Promise<TextFile[]> {
  const wanted = files.filter(({ path }) => isWanted(path, false))
  if (wanted.length === 0) throw new Error(`There is no file that ends in ${ENDINGS.join(', ')}.`)
  if (wanted.length > MOST_FILES) throw new Error(`There are more than ${MOST_FILES} files: choose a smaller folder.`)
  if (wanted.reduce((sum, { file }) => sum + file.size, 0) > MOST_BYTES)
    throw new Error('The files have more than 4.5 MB: use `piql app import`, or a folder of the server.')
  const paths = belowCommonFolder(wanted.map(({ path }) => path))
  return Promise.all(
    wanted.map(async ({ file }, index) => ({
      path: paths[index] ?? file.name,
      text: decoded(await file.arrayBuffer()),
    })),
  )
}

/** The paths without the folder that all of them begin with, if there is one: `shop/a.piql` → `a.piql`. */
export function belowCommonFolder(paths: readonly string[]): string[] {
  const [first = ''] = paths
  const folder = first.includes('/') ? first.slice(0, first.indexOf('/') + 1) : ''
  return folder !== '' && paths.every((path) => path.startsWith(folder))
    ? paths.map((path) => path.slice(folder.length))
    : [...paths]
}
