/** The requests that stage an application from elsewhere, make it, or discard it. */
import { answered, api } from '../../api/client'
import { sendParts } from '../../api/parts'
import type { ApplicationImport, StoreWrite } from '../../api/types'
import type { TextFile } from '../../logic/dropped-files'

export function stageFiles(title: string, files: TextFile[]): Promise<ApplicationImport> {
  return answered(api.POST('/api/application-imports/files', { body: { title, files, dialect: 'auto' } }))
}

export function stageFolder(path: string): Promise<ApplicationImport> {
  return answered(api.POST('/api/application-imports/folders', { body: { path } }))
}

export function stageRepository(body: {
  address: string
  branch: string
  folder: string
  is_shallow: boolean
}): Promise<ApplicationImport> {
  return answered(api.POST('/api/application-imports/repositories', { body }))
}

export function stageKeyspace(store: StoreWrite, prefix: string): Promise<ApplicationImport> {
  return answered(api.POST('/api/application-imports/keyspaces', { body: { store, prefix } }))
}

/** Uploads an archive; `onProgress` gets the uploaded share, from 0 to 1. */
export async function stageArchive(file: File, onProgress: (share: number) => void): Promise<ApplicationImport> {
  if (file.size === 0) throw new Error('The file is empty.')
  const body = { file_name: file.name, size: file.size }
  const first = await answered(api.POST('/api/application-imports/archives', { body }))
  return sendParts(
    file,
    first,
    (part, { id }) =>
      answered(
        api.POST('/api/application-imports/{import_id}/parts', { params: { path: { import_id: id } }, body: part }),
      ),
    onProgress,
  )
}

export function makeImported(id: string, title: string) {
  const params = { path: { import_id: id } }
  return answered(api.POST('/api/application-imports/{import_id}/applications', { params, body: { title } }))
}

export function discardImport(id: string) {
  return answered(api.DELETE('/api/application-imports/{import_id}', { params: { path: { import_id: id } } }))
}
