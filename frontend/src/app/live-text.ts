/** What the text changes of the live version: its files, and its queries. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { deployment, deployments } from '../api/queries'
import type { Query, SourceFile } from '../api/types'
import { type TextDocument, usePaintedDocuments } from '../documents/documents'
import { type FileChange, fileChanges } from '../logic/deploy-state'
import type { LiveState } from '../logic/query-list'
import { useCompilation } from './selection'
import { useEnvironment } from './url-state'

/** The live version, and its texts once they are read. */
function useLive() {
  const environment = useEnvironment()
  const { data: versions } = useInfiniteQuery(deployments(environment))
  const live = versions?.find((version) => version.is_live)
  const { data: detail } = useQuery({
    ...deployment(environment, live?.id ?? ''),
    enabled: live !== undefined,
    staleTime: Infinity,
  })
  return { isKnown: versions !== undefined, live, detail }
}

/** The number of the live version and its files; null while they are not known, or if there is none. */
export function useLiveFiles(): { version: number; files: readonly SourceFile[] } | null {
  const { live, detail } = useLive()
  return useMemo(() => (live && detail ? { version: live.version, files: detail.files } : null), [live, detail])
}

/** The files that differ between the live version and the text; null while the live files are not known. */
export function useFileChanges(): readonly FileChange[] | null {
  const changesOf = useChangesOf()
  const files = usePaintedDocuments((state) => state.files)
  return useMemo(() => changesOf?.(files) ?? null, [changesOf, files])
}

/** Whether any file differs from the live version; null while its files are not known. */
export function useIsChanged(): boolean | null {
  const changesOf = useChangesOf()
  return usePaintedDocuments(({ files }) => changesOf && changesOf(files).length > 0)
}

/** What tells how some files differ from the live version; null while its files are not known. */
function useChangesOf(): ((files: readonly TextDocument[]) => readonly FileChange[]) | null {
  const { application } = useEnvironment()
  const { isKnown, live, detail } = useLive()
  // Files that only another application has are not deleted files of this one.
  const isOfAnother = live !== undefined && live.application_id !== application
  return useMemo(() => {
    if (live ? !detail : !isKnown) return null
    const before = detail?.files ?? []
    return (files) =>
      fileChanges(
        before.filter(({ path }) => !isOfAnother || files.some((file) => file.path === path)),
        files,
      )
  }, [live, detail, isKnown, isOfAnother])
}

/** How each query of the text compares with the live version, by name; only where it `isWanted`. */
export function useLiveStates(isWanted: boolean): ReadonlyMap<string, LiveState> {
  const { live, detail } = useLive()
  const compilation = useCompilation()
  const isContained = useMemo(() => lookUp(detail?.files ?? null), [detail])
  return useMemo(() => {
    if (!isWanted || !compilation) return new Map()
    const operations = new Map(live?.queries.map((query) => [query.name, query.operations] as const))
    const stateOf = ({ name, text, bound }: Query): LiveState => {
      if (!operations.has(name)) return 'new'
      return operations.get(name) === bound?.operations && isContained(text) ? 'live' : 'changed'
    }
    return new Map(compilation.queries.map((query) => [query.name, stateOf(query)]))
  }, [isWanted, compilation, live, isContained])
}

/**
 * Whether any of some files contains a text; true while they are not known. Each text is looked for once, because all
 * queries are compiled with each key.
 */
function lookUp(files: readonly SourceFile[] | null): (text: string) => boolean {
  const known = new Map<string, boolean>()
  return (text) => {
    const isContained = known.get(text) ?? files?.some((file) => file.text.includes(text)) ?? true
    known.set(text, isContained)
    return isContained
  }
}
