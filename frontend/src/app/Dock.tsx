import { type KeyboardEvent, Suspense, useEffect } from 'react'
import type { PanelId } from '../logic/view'
import { useProblemCount } from '../panels/problems/ProblemsPanel'
import { PartBoundary } from '../ui/PartBoundary'
import styles from './dock.module.css'
import { openPanel } from './panel-view'
import type { Panel } from './panels'
import { region } from './regions'

interface DockProps {
  label: string
  panels: readonly Panel[]
  active: PanelId
}

/** A strip of tabs and the panel of the chosen one. */
export function Dock({ label, panels, active }: DockProps) {
  const shown = panels.find((panel) => panel.id === active) ?? panels[0]
  const shownId = shown?.id
  useEffect(() => {
    document.getElementById(`tab-${shownId}`)?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [shownId])
  if (!shown) return null
  const Content = shown.component
  const onKeyDown = (event: KeyboardEvent) => {
    const index = tabAfter(event.key, panels.indexOf(shown), panels.length)
    const next = index === undefined ? undefined : panels[index]
    if (!next) return
    event.preventDefault()
    openPanel(next.id)
    document.getElementById(`tab-${next.id}`)?.focus()
  }
  return (
    <section className={styles['dock']} {...region(label)}>
      <div className={styles['tabs']} role="tablist" aria-label={label} onKeyDown={onKeyDown} tabIndex={-1}>
        {panels.map((panel) => (
          <button
            key={panel.id}
            id={`tab-${panel.id}`}
            type="button"
            role="tab"
            className={styles['tab']}
            aria-selected={panel === shown}
            aria-controls={panel === shown ? `panel-${panel.id}` : undefined}
            tabIndex={panel === shown ? 0 : -1}
            onClick={() => openPanel(panel.id)}
          >
            <panel.icon size={14} aria-hidden />
            {panel.title}
            {panel.id === 'problems' ? <ProblemCount /> : null}
          </button>
        ))}
      </div>
      <div
        className={styles['dockBody']}
        id={`panel-${shown.id}`}
        role="tabpanel"
        aria-labelledby={`tab-${shown.id}`}
        tabIndex={-1}
      >
        <PartBoundary key={shown.id}>
          <Suspense fallback={<Loading title={shown.title} />}>
            <Content />
          </Suspense>
        </PartBoundary>
      </div>
    </section>
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

function ProblemCount() {
  const { errors, warnings } = useProblemCount()
  if (errors + warnings === 0) return null
  return (
    <span className={styles['tabCount']} data-tone={errors > 0 ? 'danger' : 'warning'}>
      {errors + warnings}
    </span>
  )
}
