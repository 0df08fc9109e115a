import { Columns2, Maximize2, Minimize2, X } from 'lucide-react'
import { type KeyboardEvent, type MouseEvent, Suspense, useEffect, useRef } from 'react'
import type { PanelId } from '../logic/view'
import { IconButton } from '../ui/Button'
import { PartBoundary } from '../ui/PartBoundary'
import { useStrip } from '../ui/useStrip'
import styles from './dock.module.css'
import {
  changePanel,
  closePanel,
  openBeside,
  openPanel,
  showNamedPanel,
  toggleFull,
  useShownPanels,
} from './panel-view'
import { PANELS, type Panel } from './panels'
import { region } from './regions'
import { useView } from './url-state'

/** A strip with a tab for each panel, and below it the panels in sight, side by side. */
export function Dock() {
  const { shown, hasRoom } = useShownPanels()
  const isFull = useView().full === true
  useEffect(showNamedPanel, [])
  const panels = shown.flatMap((id) => PANELS.find((panel) => panel.id === id) ?? [])
  return (
    <section className={styles['dock']} data-full={isFull} {...region('Panels')}>
      <div className={styles['strip']}>
        <Tabs shown={shown} />
        {hasRoom ? (
          <IconButton label="Another panel beside" size="small" onClick={() => openBeside()}>
            <Columns2 size={14} aria-hidden />
          </IconButton>
        ) : null}
        <IconButton label={isFull ? 'Leave full screen (F9)' : 'Full screen (F9)'} size="small" onClick={toggleFull}>
          {isFull ? <Minimize2 size={14} aria-hidden /> : <Maximize2 size={14} aria-hidden />}
        </IconButton>
      </div>
      <div className={styles['panes']}>
        {panels.map((panel) => (
          <Pane key={panel.id} panel={panel} isAlone={panels.length === 1} />
        ))}
      </div>
    </section>
  )
}

/** The tabs. One shows its panel in the first place; with Shift or Ctrl it shows it beside the others. */
function Tabs({ shown }: { shown: readonly PanelId[] }) {
  const [first] = shown
  const strip = useRef<HTMLDivElement>(null)
  useStrip(
    strip,
    PANELS.findIndex(({ id }) => id === first),
  )
  const onKeyDown = (event: KeyboardEvent) => {
    const current = PANELS.findIndex(({ id }) => document.activeElement?.id === `tab-${id}`)
    const next = PANELS[tabAfter(event.key, current, PANELS.length) ?? -1]
    if (!next) return
    event.preventDefault()
    openPanel(next.id)
    document.getElementById(`tab-${next.id}`)?.focus()
  }
  const open = (id: PanelId) => (event: MouseEvent) => {
    if (event.shiftKey || event.ctrlKey || event.metaKey) openBeside(id)
    else openPanel(id)
  }
  return (
    <div
      className={`${styles['tabs']} strip`}
      ref={strip}
      role="tablist"
      aria-label="Panels"
      aria-multiselectable={shown.length > 1}
      onKeyDown={onKeyDown}
      tabIndex={-1}
    >
      {PANELS.map((panel) => (
        <button
          key={panel.id}
          id={`tab-${panel.id}`}
          type="button"
          role="tab"
          className={styles['tab']}
          aria-selected={shown.includes(panel.id)}
          aria-controls={shown.includes(panel.id) ? `panel-${panel.id}` : undefined}
          tabIndex={panel.id === first ? 0 : -1}
          onClick={open(panel.id)}
        >
          <panel.icon size={14} aria-hidden />
          {panel.title}
        </button>
      ))}
    </div>
  )
}

/** One panel; with others beside it, it has a head that changes or closes it. */
function Pane({ panel, isAlone }: { panel: Panel; isAlone: boolean }) {
  const Content = panel.component
  return (
    <div className={styles['pane']}>
      {isAlone ? null : (
        <div className={styles['paneHead']}>
          <select
            className={styles['paneTitle']}
            aria-label={`Panel in the place of ${panel.title}`}
            value={panel.id}
            onChange={(event) => {
              const other = PANELS.find(({ id }) => id === event.target.value)
              if (other) changePanel(panel.id, other.id)
            }}
          >
            {PANELS.map(({ id, title }) => (
              <option key={id} value={id}>
                {title}
              </option>
            ))}
          </select>
          <IconButton label={`Close ${panel.title}`} size="small" onClick={() => closePanel(panel.id)}>
            <X size={14} aria-hidden />
          </IconButton>
        </div>
      )}
      <div
        className={styles['dockBody']}
        id={`panel-${panel.id}`}
        role="tabpanel"
        aria-labelledby={`tab-${panel.id}`}
        tabIndex={-1}
      >
        <PartBoundary>
          <Suspense fallback={<Loading title={panel.title} />}>
            <Content />
          </Suspense>
        </PartBoundary>
      </div>
    </div>
  )
}

/** The index of the tab that a key leads to, around the ends of the strip; undefined for any other key. */
function tabAfter(key: string, index: number, count: number): number | undefined {
  switch (key) {
    case 'ArrowRight':
      return (index + 1) % count
    case 'ArrowLeft':
      return (index + count - 1) % count
    case 'Home':
      return 0
    case 'End':
      return count - 1
    default:
      return undefined
  }
}

/** Its style shows it only after a moment, so that a panel that loads quickly does not flicker. */
function Loading({ title }: { title: string }) {
  return (
    <p className={styles['loading']} role="status">
      Loading {title}…
    </p>
  )
}
