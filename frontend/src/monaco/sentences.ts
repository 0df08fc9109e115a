/**
 * The sentences of what grows, each under the query that it refuses: there they have the width of the editor, and no line
 * that is being typed moves when they come or go.
 */
import type { Compilation } from '../api/types'
import { onLinesMoved } from './lenses'
import type { editor } from './monaco'

const LINE_HEIGHT = 18

export interface Sentences {
  show(compilation: Compilation | null, path: string): void
}

export function createSentences(code: editor.IStandaloneCodeEditor): Sentences {
  let zones: string[] = []
  let shown = ''
  code.onDidChangeModel(() => {
    zones = []
    shown = ''
  })
  onLinesMoved(code, () => (shown = ''))
  return {
    show: (compilation, path) => {
      const notes = compilation ? notesOf(compilation, path) : []
      const width = code.getLayoutInfo().contentWidth
      const next = JSON.stringify([path, width, notes])
      if (next === shown) return
      shown = next
      code.changeViewZones((accessor) => {
        for (const zone of zones) accessor.removeZone(zone)
        zones = notes.map(({ line, text }) => {
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

/** By the width of an average letter; a little too high does no harm. */
function linesOf(text: string, width: number): number {
  return Math.max(1, Math.ceil((text.length * 6.4) / Math.max(200, width - 40)))
}
