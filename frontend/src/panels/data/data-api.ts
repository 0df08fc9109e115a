/**
 * The requests of the panel Data: tables of the live version, their rows by pages, writes of single rows, and imports
 * of files. A write of an existing row sends the row as it was read (`seen`), and the server refuses it if the row has
 * changed since.
 */
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { ApiError, answered, api } from '../../api/client'
import { ENVIRONMENT, type EnvironmentName, keyOf, pathOf } from '../../api/environment'
import { sendParts } from '../../api/parts'
import type { FileImport, RowsPage, RowValue } from '../../api/types'

/** Values by column. */
export type Values = Record<string, RowValue>
type ExportFormat = 'csv' | 'jsonl' | 'parquet'
const PAGE_ROWS = 50

export const tables = (environment: EnvironmentName) =>
  queryOptions({
    queryKey: keyOf('tables', environment),
    queryFn: ({ signal }) => answered(api.GET(`${ENVIRONMENT}/tables`, { params: { path: environment }, signal })),
  })

/** One page of the rows whose columns have the values of `filter`; null is the cursor of the first page. */
export const rows = (environment: EnvironmentName, table: string, filter: Values, cursor: string | null) =>
  queryOptions({
    queryKey: keyOf('tables', environment, table, 'rows', filter, cursor),
    queryFn: ({ signal }) =>
      answered(
        api.GET(`${ENVIRONMENT}/tables/{name}/rows`, {
          params: {
            path: { ...environment, name: table },
            query: {
              limit: PAGE_ROWS,
              ...(Object.keys(filter).length > 0 ? { filter: JSON.stringify(filter) } : {}),
              ...(cursor === null ? {} : { cursor }),
            },
          },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
    retry: false,
  })

export const insertRow = (environment: EnvironmentName, table: string, values: Values) =>
  answered(
    api.POST(`${ENVIRONMENT}/tables/{name}/rows`, {
      params: { path: { ...environment, name: table } },
      body: { values },
    }),
  )

export const updateRow = (environment: EnvironmentName, table: string, key: Values, values: Values, seen: Values) =>
  answered(
    api.PATCH(`${ENVIRONMENT}/tables/{name}/rows`, {
      params: { path: { ...environment, name: table } },
      body: { key, values, seen },
    }),
  )

export const deleteRow = (environment: EnvironmentName, table: string, key: Values, seen: Values) =>
  answered(
    api.POST(`${ENVIRONMENT}/tables/{name}/rows/delete`, {
      params: { path: { ...environment, name: table } },
      body: { key, seen },
    }),
  )

/** The rows of a page, each as its values by column. */
export function valuesByColumn({ columns, rows: items }: RowsPage): Values[] {
  return items.map((row) => Object.fromEntries(columns.map(({ name }, index) => [name, row[index] ?? null])) as Values)
}

/** A row as it is now, after a write was refused because it had changed; null for any other refusal, or without a row. */
export async function rowAfter(
  error: unknown,
  environment: EnvironmentName,
  table: string,
  key: Values,
): Promise<Values | null> {
  if (!(error instanceof ApiError) || error.code !== 'condition-failed') return null
  const page = await answered(
    api.GET(`${ENVIRONMENT}/tables/{name}/rows`, {
      params: { path: { ...environment, name: table }, query: { limit: 1, filter: JSON.stringify(key) } },
    }),
  )
  return valuesByColumn(page)[0] ?? null
}

/** The address from which the browser downloads all rows of a table. */
export function exportAddress(environment: EnvironmentName, table: string, format: ExportFormat): string {
  return `${pathOf(environment)}/tables/${encodeURIComponent(table)}/export?format=${format}`
}

export function isRunning({ state }: FileImport): boolean {
  return state === 'checking' || state === 'loading'
}

/** An import with its progress, read often while it runs. */
export const fileImport = (environment: EnvironmentName, id: string) =>
  queryOptions({
    queryKey: keyOf('imports', environment, id),
    queryFn: ({ signal }) =>
      answered(
        api.GET(`${ENVIRONMENT}/imports/{import_id}`, { params: { path: { ...environment, import_id: id } }, signal }),
      ),
    refetchInterval: (query) => (query.state.data && isRunning(query.state.data) ? 300 : false),
  })

/** Uploads a file in parts; the import once all are there. `onProgress` gets the uploaded share, from 0 to 1. */
export async function upload(
  environment: EnvironmentName,
  table: string,
  file: File,
  onProgress: (share: number) => void,
): Promise<FileImport> {
  const first = await answered(
    api.POST(`${ENVIRONMENT}/imports`, {
      params: { path: environment },
      body: { table, file_name: file.name, size: file.size },
    }),
  )
  return sendParts(
    file,
    first,
    (body, { id }) =>
      answered(
        api.POST(`${ENVIRONMENT}/imports/{import_id}/parts`, {
          params: { path: { ...environment, import_id: id } },
          body,
        }),
      ),
    onProgress,
  )
}

export interface RunOptions {
  /** By column of the file, the column of the table; null leaves it out. */
  mapping: Record<string, string | null>
  /** Whether rows are only checked. */
  isDryRun: boolean
  /** Whether loading goes on behind the last loaded line. */
  isResumed: boolean
}

export const runImport = (environment: EnvironmentName, id: string, { mapping, isDryRun, isResumed }: RunOptions) =>
  answered(
    api.POST(`${ENVIRONMENT}/imports/{import_id}/runs`, {
      params: { path: { ...environment, import_id: id } },
      body: { mapping, dry_run: isDryRun, resume: isResumed, bytes_form: 'base64' },
    }),
  )

export const cancelImport = (environment: EnvironmentName, id: string) =>
  answered(
    api.POST(`${ENVIRONMENT}/imports/{import_id}/cancel`, { params: { path: { ...environment, import_id: id } } }),
  )

export const deleteImport = (environment: EnvironmentName, id: string) =>
  answered(api.DELETE(`${ENVIRONMENT}/imports/{import_id}`, { params: { path: { ...environment, import_id: id } } }))
