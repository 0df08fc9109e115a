/**
 * The editor: one instance of Monaco that shows one file at a time. It draws markers, lenses and sentences after each
 * compilation, tells others where the caret is (`useCaret`), and does what they ask for (`connectEditor`).
 */

import type { Range, Thread } from '../api/types'
import { connectEditor, type EditorAction, reveal as goTo, jump, moveCaret } from '../app/editor-bridge'
import { selectQueryFrom } from '../app/selection'
import { useTheme } from '../app/theme'
import { answerFirst, useCompilationState, useEarlyBounds } from '../documents/compile-loop'
import { TYPED, useDocuments } from '../documents/documents'
import { type LensEstimate, lensLines } from '../logic/lens'
import { nextProblem } from '../logic/next-problem'
import type { TextRange } from '../logic/shapes'
import { createComments } from './comments'
import { decorationsOf } from './decorations'
import './fix-menu'
import { queriesInSight } from './in-sight'
import { registerLanguage } from './language'
import { createLenses } from './lenses'
import { registerLinks } from './links'
import type { LiveEditing } from './live/live-editing'
import { showMarkers } from './markers'
import { closeIdleModels, openModel, pathOf, rangeOf, syncModels } from './models'
import { editor, KeyCode, KeyMod } from './monaco'
import './piql-editor.css'
import { registerProviders } from './providers'
import { createSentences } from './sentences'
import { keepDecorationsSteady } from './steady-decorations'
import { defineThemes, themeName } from './theme'

/** What is drawn into the text besides the compilation. */
export interface LensData {
  /** Predictions by query. */
  estimates: ReadonlyMap<string, LensEstimate>
  /** The most operations of the deployed queries. */
  live: ReadonlyMap<string, number>
  /** The source of the plan's chosen node. */
  selected: Range | null
}

export interface PiqlEditor {
  /** Shows the text of an open document, where it was left. */
  show(path: string): void
  annotate(lens: LensData): void
  /** Shows which lines have comments. */
  showThreads(threads: readonly Thread[]): void
  /** From now on, takes part in the live session of each file that it shows. */
  editTogether(): void
  dispose(): void
}

let isRegistered = false

/** Registers language, providers and themes, once: they are global in Monaco. */
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
    openCodeEditor: (_from, resource, target) => {
      const position = target && 'lineNumber' in target ? target : null
      const range = target && 'startLineNumber' in target ? target : null
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

const OPTIONS: editor.IStandaloneEditorConstructionOptions = {
  model: null,
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
  scrollBeyondLastColumn: 1, // else a bar lies below text that fits
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
}

/** Creates the editor in an element. `onLeave` is called when Escape leaves it. There must be only one at a time. */
export function createPiqlEditor(container: HTMLElement, onLeave: () => void): PiqlEditor {
  register()
  const stopSync = syncModels()
  const code = editor.create(container, { ...OPTIONS, theme: themeName(useTheme.getState().theme) })
  keepDecorationsSteady(code)
  const decorations = code.createDecorationsCollection()
  const lenses = createLenses(code)
  const sentences = createSentences(code)
  const comments = createComments(code)
  const viewStates = new Map<string, editor.ICodeEditorViewState | null>()
  let lens: LensData = { estimates: new Map(), live: new Map(), selected: null }

  const drawLenses = () => {
    const model = code.getModel()
    const early = useEarlyBounds.getState()
    const queries = (useCompilationState.getState().compilation?.queries ?? []).map(
      (query) => early.get(query.name) ?? query,
    )
    if (model) lenses.show(lensLines(queries, pathOf(model.uri), lens.estimates, lens.live))
  }
  const draw = () => {
    const model = code.getModel()
    const { compilation } = useCompilationState.getState()
    const path = model ? pathOf(model.uri) : ''
    decorations.set(model && compilation ? decorationsOf(compilation, path, lens.selected) : [])
    if (!model) return
    drawLenses()
    sentences.show(compilation, path)
  }
  const mark = () => {
    const { compilation } = useCompilationState.getState()
    if (!compilation) return
    showMarkers(compilation)
    draw()
    measureKeyToDiagnostics()
  }
  const live = livePart(code)
  let isMovingToRange = false // positions of the caret on the way to a range are not published
  const publishCaret = () => {
    if (isMovingToRange) return
    const model = code.getModel()
    const position = code.getPosition()
    if (model && position)
      moveCaret({ file: pathOf(model.uri), line: position.lineNumber, column: position.column }, code.hasTextFocus())
  }
  const show = (path: string) => {
    const model = openModel(path)
    const current = code.getModel()
    if (!model || model === current) return
    if (current) viewStates.set(pathOf(current.uri), code.saveViewState())
    const wasMoving = isMovingToRange
    isMovingToRange = true
    code.setModel(model)
    code.restoreViewState(viewStates.get(path) ?? null)
    isMovingToRange = wasMoving
    layOutZones()
    publishCaret()
    const { compilation } = useCompilationState.getState()
    if (compilation) showMarkers(compilation) // a model that was made just now has none
    draw()
    live.show(path)
    closeIdleModels(path)
  }
  const reveal = (range: TextRange, isFocused: boolean) => {
    isMovingToRange = true
    show(range.file)
    code.setSelection(rangeOf(range))
    isMovingToRange = false
    publishCaret()
    code.revealRangeInCenterIfOutsideViewport(rangeOf(range))
    if (isFocused) code.focus()
  }

  code.addCommand(KeyCode.Escape, onLeave, LEAVES_EDITOR)
  code.onDidChangeCursorPosition(publishCaret)
  code.onDidLayoutChange(draw)
  const layOutZones = keepZonesInSight(code, container)
  code.onMouseDown((event) => openLens(event.target.element))
  // The editor is marked first; React draws the panels after it.
  const stopMarking = useCompilationState.subscribe((state, previous) => {
    if (state.compilation !== previous.compilation) mark()
  })
  mark()
  const stopEarly = useEarlyBounds.subscribe((early) => {
    if (early.size > 0) drawLenses()
  })
  answerFirst((queries) => queriesInSight(code, queries))
  const stopTheme = useTheme.subscribe(({ theme }) => editor.setTheme(themeName(theme)))
  void document.fonts.ready.then(() => editor.remeasureFonts())

  connectEditor({
    reveal,
    focus: () => code.focus(),
    nextProblem: () => goToNextProblem(code),
    comment: comments.comment,
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
    showThreads: comments.show,
    editTogether: live.begin,
    dispose: () => {
      connectEditor(null)
      answerFirst(null)
      moveCaret(null, false)
      stopMarking()
      stopEarly()
      stopTheme()
      live.dispose()
      code.dispose()
      stopSync()
    },
  }
}

/** What edits together with others: loaded by `begin`, since it is not needed to show a text. */
function livePart(code: editor.IStandaloneCodeEditor): LiveEditing & { begin: () => void } {
  let live: LiveEditing | null = null
  let isBegun = false
  let isDisposed = false
  let shown: string | null = null
  const load = async () => {
    const { createLiveEditing } = await import('./live/live-editing')
    if (isDisposed) return
    live = createLiveEditing(code)
    if (shown !== null) live.show(shown)
  }
  return {
    begin: () => {
      if (!isBegun) void load().catch(() => undefined) // without it, texts are saved as by somebody alone
      isBegun = true
    },
    show: (path) => {
      shown = path
      live?.show(path)
    },
    dispose: () => {
      isDisposed = true
      live?.dispose()
    },
  }
}

/**
 * Keeps lenses and sentences in sight while a long line is scrolled sideways, by two properties that piql-editor.css
 * reads. Returns the function that sets them; it must also be called after another text was shown, which is no
 * scrolling.
 */
function keepZonesInSight(code: editor.IStandaloneCodeEditor, container: HTMLElement): () => void {
  const layOutZones = () => {
    container.style.setProperty('--piql-zone-left', `${code.getScrollLeft()}px`)
    container.style.setProperty('--piql-zone-width', `${code.getLayoutInfo().contentWidth - 24}px`)
  }
  layOutZones()
  code.onDidLayoutChange(layOutZones)
  code.onDidScrollChange(layOutZones)
  code.onDidChangeModel(layOutZones)
  return layOutZones
}

/**
 * A click on a lens chooses its query and opens the panel that explains it: the plan if it is unbounded, else the
 * bounds.
 */
function openLens(element: HTMLElement | null): void {
  const lens = element?.closest<HTMLElement>('.piql-lens')
  const query = lens?.dataset['query'] ?? lens?.dataset['unboundedIn']
  if (query) selectQueryFrom(query, { panel: lens?.classList.contains('piql-lens-unbounded') ? 'plan' : 'bounds' })
}

function goToNextProblem(code: editor.IStandaloneCodeEditor): void {
  const { compilation } = useCompilationState.getState()
  const start = code.getSelection()?.getStartPosition()
  const model = code.getModel()
  const target = nextProblem(
    (compilation?.diagnostics ?? []).map((diagnostic) => diagnostic.range),
    useDocuments.getState().files.map((file) => file.path),
    start && model ? { file: pathOf(model.uri), line: start.lineNumber, column: start.column } : null,
  )
  if (target) goTo(target, true)
}

/** The names that Monaco has for the actions of the palette. */
const ACTIONS: Readonly<Record<EditorAction, string>> = {
  'quick fix': 'editor.action.quickFix',
  rename: 'editor.action.rename',
  definition: 'editor.action.revealDefinition',
  references: 'editor.action.goToReferences',
  outline: 'editor.action.quickOutline',
  format: 'editor.action.formatDocument',
}

/** Measures from the last change of a text until now, as the performance entry `piql:key-to-diagnostics`. */
function measureKeyToDiagnostics(): void {
  if (performance.getEntriesByName(TYPED, 'mark').length === 0) return
  performance.measure('piql:key-to-diagnostics', TYPED)
  performance.clearMarks(TYPED)
}

/** When Escape leaves the editor: only if there is nothing open that it closes. */
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
