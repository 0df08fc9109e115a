import { type ReactNode, useEffect, useRef } from 'react'
import { Group, Panel, Separator, useDefaultLayout, usePanelRef } from 'react-resizable-panels'
import { layoutStorage } from '../logic/layout-storage'
import { widthOf } from '../logic/shown-panels'
import { Sidebar } from '../panels/application/Sidebar'
import { EditorPanel } from '../panels/editor/EditorPanel'
import { ProblemsDrawer } from '../panels/problems/ProblemsPanel'
import styles from './app.module.css'
import { browserStorage } from './browser-storage'
import { Dock } from './Dock'
import { useLayout, useShownPanels } from './panel-view'
import { useIsProblemsOpen } from './problems-drawer'
import { useView } from './url-state'

const layouts = layoutStorage(browserStorage)

/**
 * Sidebar, editor with the drawer of problems, and panels. Their borders can be dragged and the sizes are kept, apart for
 * wide and narrow windows; on a very narrow one they stand below each other, and the page scrolls.
 */
export function Regions() {
  const layout = useLayout()
  const isFull = useView().full === true
  return (
    <div className={styles['regions']} data-full={isFull}>
      {layout === 'stacked' ? <Stack /> : <Columns key={layout} isWide={layout === 'wide'} />}
    </div>
  )
}

function Stack() {
  const isDrawerOpen = useIsProblemsOpen()
  return (
    <div className={styles['stack']}>
      <div className={styles['stackedSidebar']}>
        <Sidebar />
      </div>
      <div className={styles['stackedEditor']}>
        <EditorPanel />
      </div>
      {isDrawerOpen ? (
        <div className={styles['stackedProblems']}>
          <ProblemsDrawer />
        </div>
      ) : null}
      <div className={styles['stackedPanels']}>
        <Dock />
      </div>
    </div>
  )
}

function Columns({ isWide }: { isWide: boolean }) {
  const columns = useDefaultLayout({
    id: isWide ? 'piql:columns' : 'piql:columns-narrow',
    storage: layouts,
    onlySaveAfterUserInteractions: true,
  })
  const side = useRoomForPanels()
  return (
    <Group className={styles['columns']} orientation="horizontal" {...columns}>
      <Panel id="sidebar" defaultSize={252} minSize={180} maxSize={420} groupResizeBehavior="preserve-pixel-size">
        <Sidebar />
      </Panel>
      <Separator className={styles['separator']} aria-label="Width of the application" />
      <Panel id="centre" minSize={320}>
        <Centre isWide={isWide} dock={isWide ? null : <Dock />} />
      </Panel>
      {isWide ? (
        <>
          <Separator className={styles['separator']} aria-label="Width of the panels" />
          <Panel id="side" minSize={360} defaultSize="43%" panelRef={side}>
            <Dock />
          </Panel>
        </>
      ) : null}
    </Group>
  )
}

/** The side's panel, made wider while several panels stand there side by side, and as wide as before after that. */
function useRoomForPanels() {
  const side = usePanelRef()
  const { shown } = useShownPanels()
  const isFull = useView().full === true
  const before = useRef<number | null>(null)
  const count = isFull ? 1 : shown.length
  useEffect(() => {
    const panel = side.current
    if (!panel) return
    const { inPixels: width } = panel.getSize()
    if (count > 1 && width < widthOf(count)) {
      before.current ??= width
      panel.resize(widthOf(count))
    } else if (count === 1 && before.current !== null) {
      panel.resize(before.current)
      before.current = null
    }
  }, [side, count])
  return side
}

/** The editor, below it the problems while their drawer is open, and on a narrow window the panels. */
function Centre({ isWide, dock }: { isWide: boolean; dock: ReactNode }) {
  const isDrawerOpen = useIsProblemsOpen()
  const rows = useDefaultLayout({
    id: isWide ? 'piql:rows' : 'piql:rows-narrow',
    panelIds: ['editor', ...(isDrawerOpen ? ['problems-row'] : []), ...(dock ? ['panels'] : [])],
    storage: layouts,
  })
  return (
    <Group className={styles['rows']} orientation="vertical" {...rows}>
      <Panel id="editor" minSize={120} defaultSize={dock ? '46%' : undefined}>
        <EditorPanel />
      </Panel>
      {isDrawerOpen ? (
        <>
          <Separator className={styles['separatorFlat']} aria-label="Height of the problems" />
          <Panel id="problems-row" minSize={90} defaultSize={dock ? '22%' : '32%'}>
            <ProblemsDrawer />
          </Panel>
        </>
      ) : null}
      {dock ? (
        <>
          <Separator className={styles['separatorFlat']} aria-label="Height of the editor" />
          <Panel id="panels" minSize={100}>
            {dock}
          </Panel>
        </>
      ) : null}
    </Group>
  )
}
