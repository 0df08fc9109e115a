import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { Group, Panel, Separator, useDefaultLayout } from 'react-resizable-panels'
import { startCompiling } from '../documents/compile-loop'
import { documentAt, openApplication, takeRestored, useDocuments } from '../documents/documents'
import { applicationQuery } from '../documents/opening'
import { startSaving } from '../documents/saving'
import { layoutStorage } from '../logic/layout-storage'
import { Sidebar } from '../panels/application/Sidebar'
import { EditorPanel } from '../panels/editor/EditorPanel'
import { plural } from '../units'
import styles from './app.module.css'
import { browserStorage } from './browser-storage'
import { Dock } from './Dock'
import { useCaret } from './editor-bridge'
import { notify } from './notices'
import { OpeningApplication } from './OpeningApplication'
import { bottomPanel, onlyPanel, sidePanel, useIsWide } from './panel-view'
import { PANELS } from './panels'
import { StatusBar } from './StatusBar'
import { useFollowedSelection } from './selection'
import { useView } from './url-state'

declare global {
  interface Window {
    /** For end-to-end tests: the whole text of a file (the editor only draws the lines in sight) and the caret's line. */
    piqlWorkbench?: { editorText: (path: string) => string | undefined; caretLine: () => number }
  }
}

/**
 * The page of one application: sidebar, editor, panels and status bar. While it is on the page, the texts follow the
 * server, are compiled as they are typed and saved after a pause.
 */
export function WorkbenchPage() {
  const view = useView()
  const { data, error } = useQuery({ ...applicationQuery(view.application), enabled: view.application !== '' })
  const isOpen = useDocuments((state) => state.application === view.application)

  useEffect(() => {
    if (!data) return
    const updatedPaths = openApplication(view.application, data.files)
    if (updatedPaths.length > 0)
      notify({ tone: 'info', text: `${updatedPaths.join(', ')} changed elsewhere; here is the newer text.` })
  }, [data, view.application])
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
      <Regions />
      <StatusBar />
    </main>
  )
}

const layouts = layoutStorage(browserStorage)

/** Sidebar, editor and docks, with borders that can be dragged; the sizes are kept, apart for wide and narrow windows. */
function Regions() {
  const view = useView()
  const isWide = useIsWide()
  const columns = useDefaultLayout({ id: isWide ? 'piql:columns' : 'piql:columns-narrow', storage: layouts })
  const rows = useDefaultLayout({ id: isWide ? 'piql:rows' : 'piql:rows-narrow', storage: layouts })
  const side = PANELS.filter((panel) => panel.home === 'side')
  const bottom = PANELS.filter((panel) => panel.home === 'bottom')
  return (
    <Group key={String(isWide)} className={styles['columns']} orientation="horizontal" {...columns}>
      <Panel id="sidebar" defaultSize={252} minSize={180} maxSize={420} groupResizeBehavior="preserve-pixel-size">
        <Sidebar />
      </Panel>
      <Separator className={styles['separator']} aria-label="Width of the application" />
      <Panel id="centre" minSize={320}>
        <Group className={styles['rows']} orientation="vertical" {...rows}>
          <Panel id="editor" minSize={120} defaultSize={isWide ? '68%' : '46%'}>
            <EditorPanel />
          </Panel>
          <Separator className={styles['separatorFlat']} aria-label="Height of the editor" />
          <Panel id="bottom" minSize={100}>
            {isWide ? (
              <Dock label="Problems and results" panels={bottom} active={bottomPanel(view)} />
            ) : (
              <Dock label="Panels" panels={PANELS} active={onlyPanel(view)} />
            )}
          </Panel>
        </Group>
      </Panel>
      {isWide ? (
        <>
          <Separator className={styles['separator']} aria-label="Width of the panels" />
          <Panel id="side" minSize={360} defaultSize="40%">
            <Dock label="Panels" panels={side} active={sidePanel(view)} />
          </Panel>
        </>
      ) : null}
    </Group>
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
