/**
 * Comments in the editor: a sign in the margin beside each line with open threads, which opens them, and the actions that
 * comment on the caret's line. While a text is not saved, the signs move with it; then they are where the server says.
 */
import type { Thread } from '../api/types'
import { commentOn, openThread } from '../app/threads'
import { documentAt } from '../documents/documents'
import { quoteOf, threadsByLine } from '../logic/threads'
import { plural } from '../units'
import { pathOf } from './models'
import { editor, KeyCode, KeyMod } from './monaco'

export interface Comments {
  /** Shows the signs of these threads, as far as they are about the text in the editor. */
  show(threads: readonly Thread[]): void
  /** Comments on the caret's line, or opens what was said about it unless the comment shall be a new one. */
  comment(isNew: boolean): void
}

export function createComments(code: editor.IStandaloneCodeEditor): Comments {
  const signs = code.createDecorationsCollection()
  let known: readonly Thread[] = []
  /** The numbers of the threads behind each sign, in the order of the signs. */
  let drawn: readonly (readonly number[])[] = []
  let drawnText = ''

  const numbersAt = (line: number) => drawn.find((_, index) => signs.getRange(index)?.startLineNumber === line) ?? []
  const draw = () => {
    const model = code.getModel()
    if (!model) return
    const path = pathOf(model.uri)
    const placed = documentAt(path)?.saveState === 'saved' ? known : asDrawn()
    const byLine = [...threadsByLine(placed, path)].filter(([line]) => line <= model.getLineCount())
    const numbers = byLine.map(([, threads]) => threads.map(({ number }) => number))
    const text = JSON.stringify([path, byLine.map(([line]) => line), numbers])
    if (text === drawnText) return
    drawnText = text
    drawn = numbers
    signs.set(byLine.map(([line, threads]) => sign(model, line, threads.length)))
  }
  /** The threads at the lines where their signs are now. */
  const asDrawn = () => {
    const lines = new Map(
      drawn.flatMap((numbers, index) => numbers.map((number) => [number, signs.getRange(index)?.startLineNumber])),
    )
    return known.map((thread) => ({ ...thread, line: lines.get(thread.number) ?? thread.line }))
  }
  const comment = (isNew: boolean) => {
    const model = code.getModel()
    const line = code.getPosition()?.lineNumber
    if (!model || line === undefined) return
    const [first] = numbersAt(line)
    if (first !== undefined && !isNew) openThread(first, true)
    else commentOn({ kind: 'line', path: pathOf(model.uri), line, quote: quoteOf(model.getLineContent(line)) })
  }

  code.onDidChangeModel(() => {
    drawn = []
    drawnText = ''
    draw()
  })
  code.onMouseDown(({ target }) => {
    if (target.type !== editor.MouseTargetType.GUTTER_GLYPH_MARGIN) return
    const [first] = numbersAt(target.position.lineNumber)
    if (first !== undefined) openThread(first)
  })
  code.addAction({
    id: 'piql.comment',
    label: 'Comment on this line, or read its comments',
    keybindings: [KeyMod.CtrlCmd | KeyMod.Alt | KeyCode.KeyM],
    contextMenuGroupId: 'navigation',
    run: () => comment(false),
  })
  return {
    show: (threads) => {
      known = threads
      draw()
    },
    comment,
  }
}

function sign(model: editor.ITextModel, line: number, count: number): editor.IModelDeltaDecoration {
  return {
    range: { startLineNumber: line, startColumn: 1, endLineNumber: line, endColumn: model.getLineMaxColumn(line) },
    options: {
      isWholeLine: true,
      stickiness: editor.TrackedRangeStickiness.NeverGrowsWhenTypingAtEdges,
      glyphMarginClassName: 'piql-comments',
      glyphMarginHoverMessage: { value: `${plural(count, 'open thread')} of comments` },
      overviewRuler: { color: { id: 'editorOverviewRuler.infoForeground' }, position: editor.OverviewRulerLane.Center },
    },
  }
}
