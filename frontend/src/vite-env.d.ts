/// <reference types="vite/client" />

// Ships without types; imported for its effect only.
declare module 'monaco-editor/editor/contrib/suggest/browser/suggestController'
declare module 'monaco-editor/editor/contrib/semanticTokens/browser/documentSemanticTokens'

// Parts of Monaco that its own types leave out.
declare module 'monaco-editor/editor/standalone/browser/standaloneServices' {
  export const StandaloneServices: {
    initialize(overrides: Record<string, unknown>): unknown
    get<T>(service: { readonly is: T }): T
  }
}
declare module 'monaco-editor/platform/configuration/common/configuration' {
  export const IConfigurationService: { readonly is: { updateValue(key: string, value: unknown): Promise<void> } }
}
declare module 'monaco-editor/platform/undoRedo/common/undoRedo' {
  export const UndoRedoGroup: new () => object
}
declare module 'monaco-editor/editor/browser/stableEditorScroll' {
  import type { editor } from 'monaco-editor/editor'
  export class StableEditorScrollState {
    static capture(code: editor.ICodeEditor): StableEditorScrollState
    restore(code: editor.ICodeEditor): void
  }
}
