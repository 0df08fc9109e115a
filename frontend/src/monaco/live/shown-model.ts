/**
 * A model of Monaco as a text that a live session shows. Undo and redo are those of the document while it is bound: they
 * take back what was typed here, and nothing of the others.
 */
import { StandaloneServices } from 'monaco-editor/editor/standalone/browser/standaloneServices'
import { IUndoRedoService } from 'monaco-editor/platform/undoRedo/common/undoRedo'
import { bindText, type ShownText } from '../../live/binding'
import type { Binding, LiveSession } from '../../live/session'
import type { Selection } from '../../logic/text-changes'
import { listenFirst } from '../models'
import { editor, Selection as MonacoSelection } from '../monaco'

/** Binds a model and the carets in it; `onUndone` hears where the text was changed by undo and redo. */
export function bindModel(
  session: LiveSession,
  code: editor.ICodeEditor,
  model: editor.ITextModel,
  onUndone: (offset: number) => void,
): Binding {
  const undone = (act: () => unknown) => () => {
    const before = model.getValue()
    act()
    const at = firstDifference(before, model.getValue())
    if (at !== null) onUndone(at)
  }
  model.setEOL(editor.EndOfLineSequence.LF)
  const binding = bindText(session, shownModel(session.path, code, model))
  const own = model as { undo: unknown; redo: unknown }
  own.undo = undone(() => session.undo.undo())
  own.redo = undone(() => session.undo.redo())
  return {
    show: (changes) => {
      if (!model.isDisposed()) binding.show(changes)
    },
    dispose: () => {
      binding.dispose()
      Reflect.deleteProperty(own, 'undo')
      Reflect.deleteProperty(own, 'redo')
      forgetUndo(model)
    },
  }
}

function shownModel(path: string, code: editor.ICodeEditor, model: editor.ITextModel): ShownText {
  const selections = () => (code.getModel() === model ? (code.getSelections() ?? []) : []).map(toOffsets)
  const toOffsets = (selection: MonacoSelection): Selection => ({
    anchor: model.getOffsetAt({
      lineNumber: selection.selectionStartLineNumber,
      column: selection.selectionStartColumn,
    }),
    head: model.getOffsetAt(selection.getPosition()),
  })
  const toMonaco = ({ anchor, head }: Selection) =>
    MonacoSelection.fromPositions(model.getPositionAt(anchor), model.getPositionAt(head))
  return {
    value: () => model.getValue(),
    replace: (changes) => {
      model.applyEdits(changes.map(({ start, end, text }) => ({ range: rangeBetween(model, start, end), text })))
    },
    selections,
    select: (wanted) => {
      if (wanted.length > 0 && !areEqual(wanted, selections())) code.setSelections(wanted.map(toMonaco), 'live session')
    },
    listen: (onChange) =>
      listenFirst(
        path,
        onChange &&
          (({ changes }) => {
            queueMicrotask(() => forgetUndo(model))
            onChange(
              changes.map(({ rangeOffset, rangeLength, text }) => ({
                start: rangeOffset,
                end: rangeOffset + rangeLength,
                text: text.replaceAll(/\r\n?/g, '\n'),
              })),
            )
          }),
      ),
  }
}

function areEqual(some: readonly Selection[], others: readonly Selection[]): boolean {
  return (
    some.length === others.length &&
    some.every(({ anchor, head }, index) => anchor === others[index]?.anchor && head === others[index]?.head)
  )
}

/** Monaco's own steps of undo do not fit a text that others change, and undo in another file would take them. */
function forgetUndo(model: editor.ITextModel): void {
  if (!model.isDisposed()) StandaloneServices.get(IUndoRedoService).removeElements(model.uri)
}

export function rangeBetween(model: editor.ITextModel, start: number, end: number) {
  const from = model.getPositionAt(start)
  const to = model.getPositionAt(end)
  return {
    startLineNumber: from.lineNumber,
    startColumn: from.column,
    endLineNumber: to.lineNumber,
    endColumn: to.column,
  }
}

function firstDifference(before: string, after: string): number | null {
  if (before === after) return null
  let index = 0
  while (before[index] === after[index]) index += 1
  return index
}
