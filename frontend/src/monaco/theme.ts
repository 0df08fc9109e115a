/** The editor's two themes, in the colours of styles/tokens.css. */
import type { Theme } from '../app/theme'
import { editor } from './monaco'

export function defineThemes(): void {
  editor.defineTheme('piql-light', {
    base: 'vs',
    inherit: true,
    rules: [
      { token: '', foreground: '191c1a' },
      { token: 'keyword', foreground: '1d6b3a', fontStyle: 'bold' },
      { token: 'type', foreground: '2a5fa8' },
      { token: 'function', foreground: '2a5fa8' },
      { token: 'parameter', foreground: '8a3f9e' },
      { token: 'string', foreground: '8f4a00' },
      { token: 'number', foreground: '8f4a00' },
      { token: 'constant', foreground: '2a5fa8' },
      { token: 'comment', foreground: '666d68', fontStyle: 'italic' },
      { token: 'operator', foreground: '4b524d' },
      { token: 'delimiter', foreground: '4b524d' },
    ],
    colors: {
      'editor.background': '#ffffff',
      'editor.foreground': '#191c1a',
      'editorLineNumber.foreground': '#7a817c',
      'editorLineNumber.activeForeground': '#191c1a',
      'editor.lineHighlightBackground': '#f6f7f5',
      'editor.lineHighlightBorder': '#00000000',
      'editor.selectionBackground': '#cfe6d6',
      'editor.inactiveSelectionBackground': '#e3efe6',
      'editorCursor.foreground': '#1d6b3a',
      'editorWidget.background': '#ffffff',
      'editorWidget.border': '#cfcfc8',
      'editorHoverWidget.background': '#ffffff',
      'editorHoverWidget.border': '#cfcfc8',
      'editorSuggestWidget.background': '#ffffff',
      'editorSuggestWidget.selectedBackground': '#e6f2e9',
      'editorSuggestWidget.selectedForeground': '#191c1a',
      'editorSuggestWidget.highlightForeground': '#1d6b3a',
      'editorSuggestWidget.focusHighlightForeground': '#1d6b3a',
      'editorError.foreground': '#b3261e',
      'editorWarning.foreground': '#8a5300',
      'editorInfo.foreground': '#2a5fa8',
      'editorLightBulb.foreground': '#8a5300',
      focusBorder: '#1d6b3a',
    },
  })
  editor.defineTheme('piql-dark', {
    base: 'vs-dark',
    inherit: true,
    rules: [
      { token: '', foreground: 'e8ece9' },
      { token: 'keyword', foreground: '7bd59a', fontStyle: 'bold' },
      { token: 'type', foreground: '8fb9f5' },
      { token: 'function', foreground: '8fb9f5' },
      { token: 'parameter', foreground: 'd9a4e8' },
      { token: 'string', foreground: 'f2b880' },
      { token: 'number', foreground: 'f2b880' },
      { token: 'constant', foreground: '8fb9f5' },
      { token: 'comment', foreground: '8e9892', fontStyle: 'italic' },
      { token: 'operator', foreground: 'b0b8b3' },
      { token: 'delimiter', foreground: 'b0b8b3' },
    ],
    colors: {
      'editor.background': '#131615',
      'editor.foreground': '#e8ece9',
      'editorLineNumber.foreground': '#7d8781',
      'editorLineNumber.activeForeground': '#e8ece9',
      'editor.lineHighlightBackground': '#181c1a',
      'editor.lineHighlightBorder': '#00000000',
      'editor.selectionBackground': '#21492f',
      'editor.inactiveSelectionBackground': '#1b3625',
      'editorCursor.foreground': '#7bd59a',
      'editorWidget.background': '#1a1e1c',
      'editorWidget.border': '#343c38',
      'editorHoverWidget.background': '#1a1e1c',
      'editorHoverWidget.border': '#343c38',
      'editorSuggestWidget.background': '#1a1e1c',
      'editorSuggestWidget.selectedBackground': '#14291c',
      'editorSuggestWidget.selectedForeground': '#e8ece9',
      'editorSuggestWidget.highlightForeground': '#7bd59a',
      'editorSuggestWidget.focusHighlightForeground': '#7bd59a',
      'editorError.foreground': '#ff8f85',
      'editorWarning.foreground': '#efb75a',
      'editorInfo.foreground': '#8fb9f5',
      'editorLightBulb.foreground': '#efb75a',
      focusBorder: '#7bd59a',
    },
  })
}

export function themeName(theme: Theme): string {
  return theme === 'dark' ? 'piql-dark' : 'piql-light'
}
