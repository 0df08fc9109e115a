/**
 * Draws sentences under each unbounded query that say what grows without a limit. They are view zones of Monaco below the
 * query, as wide as the editor, so the line that is being typed does not move when they come or go.
 */
import type { Compilation } from '../api/types'
import { onLinesMoved } from './lenses'
import type { editor } from './monaco'

const LINE_HEIGHT = 18

export interface Sentences {
  /** Shows the sentences of one file in place of the present ones. */
  show(compilation: Compilation | null, path: string): void
}

export function createSentences(code: editor.IStandaloneCodeEditor): Sentences {
  let zoneIds: string[] = []
  let drawn = '' // what was drawn last, as JSON; empty to draw again
  code.onDidChangeModel(() => {
    zoneIds = []
    drawn = ''
  })
  onLinesMoved(code, () => (drawn = ''))
  return {
    show: (compilation, path) => {
      const notes = compilation ? notesOf(compilation, path) : []
      const width = code.getLayoutInfo().contentWidth
      const next = JSON.stringify([path, width, notes])
      if (next === drawn) return
      drawn = next
      code.changeViewZones((accessor) => {
        for (const id of zoneIds) accessor.removeZone(id)
        zoneIds = notes.map(({ line, text }) => {
          const domNode = document.createElement('div')
          const label = domNode.appendChild(document.createElement('span'))
          label.className = 'piql-sentence'
          label.textContent = text
          return accessor.addZone({
            afterLineNumber: line,
            heightInPx: 8 + LINE_HEIGHT * linesOf(text, width),
            domNode,
          })
        })
      })
    },
  }
}

function notesOf(compilation: Compilation, path: string): { line: number; text: string }[] {
  return compilation.queries
    .filter((query) => query.range.file === path)
    .flatMap((query) =>
      [...new Set(query.unbounded.map((segment) => segment.sentence))].map((sentence) => ({
        line: query.range.end_line,
        text: `unbounded: ${sentence}`,
      })),
    )
}

/** How many lines a text takes, by the average width of a letter (6.4 px); one line too many does no harm. */
function linesOf(text: string, width: number): number {
  return Math.max(1, Math.ceil((text.length * 6.4) / Math.max(200, width - 40)))
}
