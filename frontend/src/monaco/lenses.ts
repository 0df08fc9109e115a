/**
 * Draws lenses: lines with the bound above the first line of each query, and above a table the queries that are
 * unbounded in it. They are view zones of Monaco, so they stay in sight however far a long line is scrolled.
 * `piql-editor.ts` handles clicks on them. What they say is computed in logic/lens.ts.
 */
import { StableEditorScrollState } from 'monaco-editor/editor/browser/stableEditorScroll'
import type { LensLabel, LensLine } from '../logic/lens'
import type { editor } from './monaco'

const HEIGHT = 20

export interface Lenses {
  /** Shows these lenses in place of the present ones. */
  show(lines: readonly LensLine[]): void
}

interface Zone extends editor.IViewZone {
  id: string
  /** The drawn labels as JSON; a zone whose labels are the same is not drawn again. */
  drawnLabels: string
}

export function createLenses(code: editor.IStandaloneCodeEditor): Lenses {
  let zones: Zone[] = []
  let areLinesMoved = false
  // Monaco drops the zones when another text is shown.
  code.onDidChangeModel(() => (zones = []))
  onLinesMoved(code, () => (areLinesMoved = true))
  return {
    show: (lines) => {
      const isMoved =
        areLinesMoved ||
        zones.length !== lines.length ||
        zones.some((zone, index) => zone.afterLineNumber + 1 !== lines[index]?.line)
      if (isMoved) {
        const scroll = StableEditorScrollState.capture(code)
        code.changeViewZones((accessor) => moveZones(accessor, zones, lines))
        scroll.restore(code)
        areLinesMoved = false
      }
      drawLabels(zones, lines)
    },
  }
}

/** Brings zones to the lines: moves the present ones, and adds or removes zones at the end of the list. */
function moveZones(accessor: editor.IViewZoneChangeAccessor, zones: Zone[], lines: readonly LensLine[]): void {
  for (const zone of zones.splice(lines.length)) accessor.removeZone(zone.id)
  for (const [index, { line }] of lines.entries()) {
    const zone = zones[index]
    if (zone) {
      zone.afterLineNumber = line - 1
      accessor.layoutZone(zone.id)
    } else {
      const domNode = document.createElement('div')
      domNode.className = 'piql-lens-zone'
      domNode.appendChild(document.createElement('div')).className = 'piql-lens-line'
      const newZone = { id: '', drawnLabels: '', afterLineNumber: line - 1, heightInPx: HEIGHT, domNode }
      newZone.id = accessor.addZone(newZone)
      zones.push(newZone)
    }
  }
}

function drawLabels(zones: readonly Zone[], lines: readonly LensLine[]): void {
  for (const [index, { labels }] of lines.entries()) {
    const zone = zones[index]
    const drawnLabels = JSON.stringify(labels)
    if (!zone || zone.drawnLabels === drawnLabels) continue
    zone.drawnLabels = drawnLabels
    zone.domNode.firstElementChild?.replaceChildren(...labels.map(labelElement))
  }
}

/**
 * Calls back after a change of the text that adds or removes lines. Monaco moves its zones then, and not always to
 * where they belong: when whole lines are replaced, it chooses a line itself.
 */
export function onLinesMoved(code: editor.IStandaloneCodeEditor, listener: () => void): void {
  code.onDidChangeModelContent(({ changes }) => {
    if (changes.some(({ text, range }) => text.includes('\n') || range.startLineNumber !== range.endLineNumber))
      listener()
  })
}

function labelElement({ query, table, text, isBounded }: LensLabel): HTMLElement {
  const element = document.createElement('span')
  element.className = isBounded ? 'piql-lens' : 'piql-lens piql-lens-unbounded'
  element.textContent = text
  element.title = text
  element.dataset[table ? 'unboundedIn' : 'query'] = query
  return element
}
