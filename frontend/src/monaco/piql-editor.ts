/** One editor: made once, shows one file at a time, follows the compiler, and tells where the caret is. */

import type { Range } from '../api/types'
import { connectEditor, type EditorAction, reveal as goTo, jump, useCaret } from '../app/editor-bridge'
import { panelChange } from '../app/panel-view'
import { selectQueryFrom } from '../app/selection'
import { useTheme } from '../app/theme'
import { useCompilationState } from '../documents/compile-loop'
import { TYPED, useDocuments } from '../documents/documents'
import { type LensEstimate, lensLines } from '../logic/lens'
import { nextProblem } from '../logic/next-problem'
import type { TextRange } from '../logic/shapes'
import { decorationsOf } from './decorations'
import './fix-menu'
import { registerLanguage } from './language'
import { createLenses } from './lenses'
import { registerLinks } from './links'
import { showMarkers } from './markers'
import { modelOf, pathOf, rangeOf, syncModels } from './models'
import { editor, KeyCode, KeyMod } from './monaco'
import './piql-editor.css'
import { registerProviders } from './providers'
import { createSentences } from './sentences'
import { defineThemes, themeName } from './theme'

/** What the lenses say beside the bounds, and the source of the plan's chosen node. */
export interface LensData {
  estimates: ReadonlyMap<string, LensEstimate>
  /** The operations of the queries as they are deployed. */
  live: ReadonlyMap<string, number>
  selected: Range | null
}

export interface PiqlEditor {
  show(path: string): void
  annotate(lens: LensData): void
  dispose(): void
}

/** Language, themes and providers are Monaco's own globals: they are set once. */
let isRegistered = false

function register(): void {
  if (isRegistered) return
  isRegistered = true
  registerLanguage()
  registerProviders()
  defineThemes()
  editor.addKeybindingRule({
    keybinding: KeyMod.Shift | KeyMod.Alt | KeyCode.KeyF,
    command: 'editor.action.formatDocument',
    when: 'editorTextFocus',
  })
  registerLinks()
  editor.registerEditorOpener({
    openCodeEditor: (_from, resource, place) => {
      const position = place && 'lineNumber' in place ? place : null
      const range = place && 'startLineNumber' in place ? place : null
      jump({
        file: pathOf(resource),
        start_line: range?.startLineNumber ?? position?.lineNumber ?? 1,
        start_column: range?.startColumn ?? position?.column ?? 1,
        end_line: range?.endLineNumber ?? position?.lineNumber ?? 1,
        end_column: range?.endColumn ?? position?.column ?? 1,
      })
      return true
    },
  })
}

export function createPiqlEditor(container: HTMLElement, onLeave: () => void): PiqlEditor {
  register()
  const stopSync = syncModels()
  const code = editor.create(container, {
    model: null,
    theme: themeName(useTheme.getState().theme),
    ariaLabel: 'PIQL editor',
    automaticLayout: true,
    fixedOverflowWidgets: true,
    fontFamily: "'JetBrains Mono', ui-monospace, Menlo, 'DejaVu Sans Mono', monospace",
    fontSize: 13,
    lineHeight: 21,
    fontLigatures: false,
    padding: { top: 10, bottom: 10 },
    glyphMargin: true,
    lineNumbersMinChars: 3,
    lineDecorationsWidth: 22,
    folding: true,
    showFoldingControls: 'mouseover',
    'semanticHighlighting.enabled': true,
    minimap: { enabled: false },
    overviewRulerBorder: false,
    renderLineHighlight: 'line',
    scrollBeyondLastLine: false,
    smoothScrolling: false,
    wordBasedSuggestions: 'off',
    quickSuggestions: { other: true, comments: false, strings: false },
    suggest: { showWords: false, preview: false },
    hover: { enabled: 'on', delay: 250, above: false },
    lightbulb: { enabled: editor.ShowLightbulbIconMode.On },
    placeholder: 'Write CREATE TABLE or CREATE QUERY … here',
    scrollbar: { verticalScrollbarSize: 10, horizontalScrollbarSize: 10 },
    bracketPairColorization: { enabled: false },
    occurrencesHighlight: 'singleFile',
    occurrencesHighlightDelay: 250,
    gotoLocation: { multipleReferences: 'peek' },
    unicodeHighlight: { ambiguousCharacters: false, invisibleCharacters: false },
  })
  const decorations = code.createDecorationsCollection()
  const lenses = createLenses(code)
  const sentences = createSentences(code)
  const viewStates = new Map<string, editor.ICodeEditorViewState | null>()
  let lens: LensData = { estimates: new Map(), live: new Map(), selected: null }

  const draw = () => {
    const model = code.getModel()
    const { compilation } = useCompilationState.getState()
    const path = model ? pathOf(model.uri) : ''
    decorations.set(model && compilation ? decorationsOf(compilation, path, lens.selected) : [])
    if (!model) return
    lenses.show(lensLines(compilation?.queries ?? [], path, lens.estimates, lens.live))
    sentences.show(compilation, path)
  }
  const mark = () => {
    const { compilation } = useCompilationState.getState()
    if (!compilation) return
    showMarkers(
      compilation,
      useDocuments.getState().files.map((file) => file.path),
    )
    draw()
    measureKeyToDiagnostics()
  }
  let isOnItsWay = false // to another text: only where the caret arrives is told
  const tellCaret = () => {
    if (isOnItsWay) return
    const model = code.getModel()
    const position = code.getPosition()
    if (model && position) {
      useCaret.setState({
        caret: { file: pathOf(model.uri), line: position.lineNumber, column: position.column },
        isMoved: code.hasTextFocus(),
      })
    }
  }
  const show = (path: string) => {
    const model = modelOf(path)
    const current = code.getModel()
    if (!model || model === current) return
    if (current) viewStates.set(pathOf(current.uri), code.saveViewState())
    const wasOnItsWay = isOnItsWay
    isOnItsWay = true
    code.setModel(model)
    code.restoreViewState(viewStates.get(path) ?? null)
    isOnItsWay = wasOnItsWay
    layOutZones()
    tellCaret()
    draw()
  }
  const reveal = (range: TextRange, isFocused: boolean) => {
    isOnItsWay = true
    show(range.file)
    code.setSelection(rangeOf(range))
    isOnItsWay = false
    tellCaret()
    code.revealRangeInCenterIfOutsideViewport(rangeOf(range))
    if (isFocused) code.focus()
  }

  code.addCommand(KeyCode.Escape, onLeave, LEAVES_EDITOR)
  code.onDidChangeCursorPosition(tellCaret)
  code.onDidLayoutChange(draw)
  // What stands between the lines keeps its place in sight when a long line is scrolled.
  // Another text begins where it was left, of which no scrolling is told.
  const layOutZones = () => {
    container.style.setProperty('--piql-zone-left', `${code.getScrollLeft()}px`)
    container.style.setProperty('--piql-zone-width', `${code.getLayoutInfo().contentWidth - 24}px`)
  }
  layOutZones()
  code.onDidLayoutChange(layOutZones)
  code.onDidScrollChange(layOutZones)
  code.onDidChangeModel(layOutZones)
  code.onMouseDown((event) => {
    const lensOf = event.target.element?.closest<HTMLElement>('.piql-lens')
    if (!lensOf) return
    const query = lensOf.dataset['query'] ?? lensOf.dataset['unboundedIn']
    const panel = panelChange(lensOf.classList.contains('piql-lens-unbounded') ? 'plan' : 'bounds')
    if (query) selectQueryFrom(query, panel)
  })
  // Straight from the answer to the squiggle: the panels are drawn after it.
  const stopMarking = useCompilationState.subscribe((state, previous) => {
    if (state.compilation !== previous.compilation) mark()
  })
  mark()
  const stopTheme = useTheme.subscribe(({ theme }) => editor.setTheme(themeName(theme)))
  void document.fonts.ready.then(() => editor.remeasureFonts())

  connectEditor({
    reveal,
    focus: () => code.focus(),
    nextProblem: () => {
      const { compilation } = useCompilationState.getState()
      const start = code.getSelection()?.getStartPosition()
      const model = code.getModel()
      const target = nextProblem(
        (compilation?.diagnostics ?? []).map((diagnostic) => diagnostic.range),
        useDocuments.getState().files.map((file) => file.path),
        start && model ? { file: pathOf(model.uri), line: start.lineNumber, column: start.column } : null,
      )
      if (target) goTo(target, true)
    },
    run: (action) => {
      code.focus()
      code.trigger('workbench', ACTIONS[action], null)
    },
  })
  return {
    show,
    annotate: (next) => {
      lens = next
      draw()
    },
    dispose: () => {
      connectEditor(null)
      useCaret.setState({ caret: null, isMoved: false })
      stopMarking()
      stopTheme()
      code.dispose()
      stopSync()
    },
  }
}

/** What the palette asks for, in Monaco's names. */
const ACTIONS: Readonly<Record<EditorAction, string>> = {
  'quick fix': 'editor.action.quickFix',
  rename: 'editor.action.rename',
  definition: 'editor.action.revealDefinition',
  references: 'editor.action.goToReferences',
  outline: 'editor.action.quickOutline',
  format: 'editor.action.formatDocument',
}

/** Shows in the browser's performance entries as `piql:key-to-diagnostics`. */
function measureKeyToDiagnostics(): void {
  if (performance.getEntriesByName(TYPED, 'mark').length === 0) return
  performance.measure('piql:key-to-diagnostics', TYPED)
  performance.clearMarks(TYPED)
}

/** Escape first closes what is open over the text; with nothing open it leaves the editor. */
const LEAVES_EDITOR = [
  'editorTextFocus',
  '!suggestWidgetVisible',
  '!findWidgetVisible',
  '!markersNavigationVisible',
  '!codeActionMenuVisible',
  '!parameterHintsVisible',
  '!inSnippetMode',
  '!editorHasMultipleSelections',
  '!referenceSearchVisible',
  '!renameInputVisible',
].join(' && ')
