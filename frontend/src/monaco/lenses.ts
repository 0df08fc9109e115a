/**
 * The bounds, each above the first line of its query, and above the first line of a table the queries that grow with it:
 * there they are in sight, however long the line is and wherever the text is scrolled to. A click on one chooses its query
 * and opens what explains it.
 */
import { StableEditorScrollState } from 'monaco-editor/editor/browser/stableEditorScroll'
import type { LensLabel, LensLine } from '../logic/lens'
import type { editor } from './monaco'

const HEIGHT = 20

export interface Lenses {
  show(lines: readonly LensLine[]): void
}

interface Zone extends editor.IViewZone {
  id: string
  /** The labels in it, so that only those are drawn that say something new. */
  said: string
}

export function createLenses(code: editor.IStandaloneCodeEditor): Lenses {
  let zones: Zone[] = []
  let isShifted = false
  // Another text has a view of its own, without them.
  code.onDidChangeModel(() => (zones = []))
  onLinesMoved(code, () => (isShifted = true))
  return {
    show: (lines) => {
      const isMoved =
        isShifted ||
        zones.length !== lines.length ||
        zones.some((zone, at) => zone.afterLineNumber + 1 !== lines[at]?.line)
      if (isMoved) {
        const scroll = StableEditorScrollState.capture(code)
        code.changeViewZones((accessor) => {
          for (const zone of zones.splice(lines.length)) accessor.removeZone(zone.id)
          for (const [at, { line }] of lines.entries()) {
            const zone = zones[at]
            if (!zone) {
              const domNode = document.createElement('div')
              domNode.className = 'piql-lens-zone'
              domNode.appendChild(document.createElement('div')).className = 'piql-lens-line'
              const newZone = { id: '', said: '', afterLineNumber: line - 1, heightInPx: HEIGHT, domNode }
              newZone.id = accessor.addZone(newZone)
              zones.push(newZone)
            } else {
              zone.afterLineNumber = line - 1
              accessor.layoutZone(zone.id)
            }
          }
        })
        scroll.restore(code)
        isShifted = false
      }
      for (const [at, { labels }] of lines.entries()) {
        const zone = zones[at]
        const said = JSON.stringify(labels)
        if (!zone || zone.said === said) continue
        zone.said = said
        zone.domNode.firstElementChild?.replaceChildren(...labels.map(labelElement))
      }
    },
  }
}

/** The editor moves what stands between lines along with them, to a place of its own choice where whole lines are replaced. */
export function onLinesMoved(code: editor.IStandaloneCodeEditor, then: () => void): void {
  code.onDidChangeModelContent(({ changes }) => {
    if (changes.some(({ text, range }) => text.includes('\n') || range.startLineNumber !== range.endLineNumber)) then()
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
