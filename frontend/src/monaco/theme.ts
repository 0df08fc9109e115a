/** The editor's two themes. Their colours are those of styles/tokens.css, as Monaco cannot read CSS variables. */
import type { Theme } from '../app/theme'
import { editor } from './monaco'

interface Palette {
  paper: string
  /** The background of popups, lists and the peek view. */
  raised: string
  line: string
  currentLine: string
  ink: string
  /** Text of less weight. */
  quiet: string
  lineNumber: string
  accent: string
  /** The background of chosen entries and of marked words. */
  wash: string
  selection: string
  inactiveSelection: string
  danger: string
  warning: string
  info: string
  table: string
  alias: string
  parameter: string
  literal: string
  comment: string
}

const LIGHT: Palette = {
  paper: '#ffffff',
  raised: '#ffffff',
  line: '#cfcfc8',
  currentLine: '#f6f7f5',
  ink: '#191c1a',
  quiet: '#4b524d',
  lineNumber: '#6b726d',
  accent: '#1d6b3a',
  wash: '#e6f2e9',
  selection: '#cfe6d6',
  inactiveSelection: '#e3efe6',
  danger: '#b3261e',
  warning: '#8a5300',
  info: '#2a5fa8',
  table: '#0b6573',
  alias: '#5a4a12',
  parameter: '#8a3f9e',
  literal: '#8f4a00',
  comment: '#666d68',
}

const DARK: Palette = {
  paper: '#131615',
  raised: '#1a1e1c',
  line: '#343c38',
  currentLine: '#181c1a',
  ink: '#e8ece9',
  quiet: '#b0b8b3',
  lineNumber: '#8a948e',
  accent: '#7bd59a',
  wash: '#14291c',
  selection: '#21492f',
  inactiveSelection: '#1b3625',
  danger: '#ff8f85',
  warning: '#efb75a',
  info: '#8fb9f5',
  table: '#7fd3df',
  alias: '#e0cf8f',
  parameter: '#d9a4e8',
  literal: '#f2b880',
  comment: '#8e9892',
}

export function defineThemes(): void {
  editor.defineTheme('piql-light', themeOf('vs', LIGHT))
  editor.defineTheme('piql-dark', themeOf('vs-dark', DARK))
}

export function themeName(theme: Theme): string {
  return theme === 'dark' ? 'piql-dark' : 'piql-light'
}

function themeOf(base: editor.BuiltinTheme, palette: Palette): editor.IStandaloneThemeData {
  return { base, inherit: true, rules: wordsOf(palette), colors: partsOf(palette) }
}

/** The colours of words: the token types of language.ts, and those of the language service (providers/file.ts). */
function wordsOf(palette: Palette): editor.ITokenThemeRule[] {
  const { ink, quiet, accent, info, table, alias, parameter, literal, comment } = palette
  const colours: Record<string, string> = {
    '': ink,
    type: info,
    function: info,
    constant: info,
    parameter,
    string: literal,
    number: literal,
    operator: quiet,
    delimiter: quiet,
    table,
    index: table,
    alias,
    column: ink,
    output: ink,
    name: ink,
  }
  return [
    ...Object.entries(colours).map(([token, colour]) => ({ token, foreground: colour.slice(1) })),
    { token: 'keyword', foreground: accent.slice(1), fontStyle: 'bold' },
    { token: 'query', foreground: ink.slice(1), fontStyle: 'bold' },
    { token: 'comment', foreground: comment.slice(1), fontStyle: 'italic' },
  ]
}

/** The colours of the editor's parts, by Monaco's names. */
function partsOf(palette: Palette): editor.IColors {
  const { paper, raised, line, ink, quiet, accent, wash, selection } = palette
  return {
    'editor.background': paper,
    'editor.foreground': ink,
    'editorLineNumber.foreground': palette.lineNumber,
    'editorLineNumber.dimmedForeground': palette.lineNumber,
    'editorLineNumber.activeForeground': ink,
    'editor.lineHighlightBackground': palette.currentLine,
    'editor.lineHighlightBorder': '#00000000',
    'editor.selectionBackground': selection,
    'editor.inactiveSelectionBackground': palette.inactiveSelection,
    'editor.rangeHighlightBackground': wash,
    'editor.wordHighlightBackground': wash,
    'editor.wordHighlightStrongBackground': selection,
    'editor.wordHighlightTextBackground': '#00000000',
    'editor.foldBackground': wash,
    'editorCursor.foreground': accent,
    'editorError.foreground': palette.danger,
    'editorWarning.foreground': palette.warning,
    'editorInfo.foreground': palette.info,
    'editorLightBulb.foreground': palette.warning,
    focusBorder: accent,
    'textLink.foreground': accent,

    'editorWidget.background': raised,
    'editorWidget.border': line,
    'editorHoverWidget.background': raised,
    'editorHoverWidget.border': line,
    'editorHoverWidget.highlightForeground': accent,
    'editorSuggestWidget.background': raised,
    'editorSuggestWidget.selectedBackground': wash,
    'editorSuggestWidget.selectedForeground': ink,
    'editorSuggestWidget.highlightForeground': accent,
    'editorSuggestWidget.focusHighlightForeground': accent,
    'input.background': raised,
    'input.foreground': ink,
    'input.border': line,
    'badge.background': wash,
    'badge.foreground': ink,

    'list.hoverBackground': wash,
    'list.focusBackground': wash,
    'list.focusForeground': ink,
    'list.activeSelectionBackground': wash,
    'list.activeSelectionForeground': ink,
    'list.activeSelectionIconForeground': ink,
    'list.inactiveSelectionBackground': wash,
    'list.highlightForeground': accent,
    'list.focusHighlightForeground': accent,
    'menu.background': raised,
    'menu.foreground': ink,
    'menu.border': line,
    'menu.selectionBackground': wash,
    'menu.selectionForeground': ink,
    'quickInput.background': raised,
    'quickInput.foreground': ink,
    'quickInputList.focusBackground': wash,
    'quickInputList.focusForeground': ink,
    'quickInputList.focusIconForeground': ink,
    'pickerGroup.foreground': quiet,
    'symbolIcon.fieldForeground': quiet,
    'symbolIcon.functionForeground': quiet,
    'symbolIcon.keyForeground': quiet,
    'symbolIcon.structForeground': quiet,

    'peekView.border': accent,
    'peekViewTitle.background': raised,
    'peekViewTitleLabel.foreground': ink,
    'peekViewTitleDescription.foreground': quiet,
    'peekViewEditor.background': raised,
    'peekViewEditorGutter.background': raised,
    'peekViewEditor.matchHighlightBackground': selection,
    'peekViewResult.background': raised,
    'peekViewResult.fileForeground': ink,
    'peekViewResult.lineForeground': ink,
    'peekViewResult.matchHighlightBackground': selection,
    'peekViewResult.selectionBackground': wash,
    'peekViewResult.selectionForeground': ink,
  }
}
