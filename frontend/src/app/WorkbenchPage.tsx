import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { startCompiling } from '../documents/compile-loop'
import { documentAt, takeRestored, useDocuments } from '../documents/documents'
import { applicationQuery, takeRead } from '../documents/opening'
import { startSaving } from '../documents/saving'
import { plural } from '../units'
import styles from './app.module.css'
import { useCaret } from './editor-bridge'
import { Flow } from './Flow'
import { notify } from './notices'
import { OpeningApplication } from './OpeningApplication'
import { Predictions } from './predictions'
import { Regions } from './Regions'
import { StatusBar } from './StatusBar'
import { useFollowedSelection } from './selection'
import { ShownCompilation } from './shown-compilation'
import { useView } from './url-state'

declare global {
  interface Window {
    /** For end-to-end tests: the whole text of a file (the editor only draws the lines in sight) and the caret's line. */
    piqlWorkbench?: { editorText: (path: string) => string | undefined; caretLine: () => number }
  }
}

/**
 * The page of one application: the steps of the work, sidebar, editor, panels and status bar. While it is on the page, the texts follow the
 * server, are compiled as they are typed and saved after a pause.
 */
export default function WorkbenchPage() {
  const view = useView()
  const { data, dataUpdatedAt, error, refetch } = useQuery({
    ...applicationQuery(view.application),
    enabled: view.application !== '',
  })
  const isOpen = useDocuments((state) => state.application === view.application)

  useEffect(() => {
    if (!data || dataUpdatedAt === 0) return // taken after each read, equal or not: another tab may have been closed
    const updatedPaths = takeRead(data)
    if (updatedPaths === null) void refetch()
    else if (updatedPaths.length > 0)
      notify({ tone: 'info', text: `${updatedPaths.join(', ')} changed elsewhere; here is the newer text.` })
  }, [data, dataUpdatedAt, refetch])
  useEffect(() => {
    const stopCompiling = startCompiling()
    const stopSaving = startSaving()
    window.piqlWorkbench = {
      editorText: (path) => documentAt(path)?.text,
      caretLine: () => useCaret.getState().caret?.line ?? 0,
    }
    return () => {
      stopCompiling()
      stopSaving()
    }
  }, [])
  useFollowedSelection()
  useRestoredNotice()

  if (!isOpen) {
    return (
      <main id="content" className={styles['page']} tabIndex={-1}>
        <h1 className="visually-hidden">PIQL workbench</h1>
        <OpeningApplication error={error} />
      </main>
    )
  }
  return (
    <main id="content" className={styles['page']} tabIndex={-1}>
      <h1 className="visually-hidden">{view.application} in the PIQL workbench</h1>
      <ShownCompilation>
        <Predictions>
          <Flow />
          <Regions />
        </Predictions>
        <StatusBar />
      </ShownCompilation>
    </main>
  )
}

/** Says that unsaved changes of an earlier visit are back, and offers to discard them. */
function useRestoredNotice() {
  const restored = useDocuments((state) => state.restored)
  useEffect(() => {
    if (restored.length === 0) return
    const { paths, discard } = takeRestored()
    notify({
      tone: 'info',
      text: `Your unsaved changes in ${paths.length === 1 ? paths[0] : plural(paths.length, 'file')} are restored.`,
      action: { label: 'Discard them', run: discard },
    })
  }, [restored])
}
