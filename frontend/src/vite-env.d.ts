// Types for what Vite provides and for modules of Monaco without types of their own.
/// <reference types="vite/client" />

// Imported for their effects only.
declare module 'monaco-editor/editor/contrib/suggest/browser/suggestController'
declare module 'monaco-editor/editor/contrib/semanticTokens/browser/documentSemanticTokens'

// Internal modules of Monaco, with only the members that src/monaco uses.
declare module 'monaco-editor/editor/standalone/browser/standaloneServices' {
  export const StandaloneServices: {
    initialize(overrides: Record<string, unknown>): unknown
    get<T>(service: { readonly is: T }): T
  }
}
declare module 'monaco-editor/editor/common/languages/language' {
  interface LanguageSelection {
    readonly languageId: string
  }
  export interface ILanguageService {
    createById(languageId: string): LanguageSelection
  }
  export const ILanguageService: { readonly is: ILanguageService }
}
declare module 'monaco-editor/editor/common/services/model' {
  import type { editor, Uri } from 'monaco-editor/editor'
  export const IModelService: {
    readonly is: { createModel(text: string, language: object, resource: Uri): editor.ITextModel }
  }
}
declare module 'monaco-editor/platform/configuration/common/configuration' {
  export const IConfigurationService: { readonly is: { updateValue(key: string, value: unknown): Promise<void> } }
}
declare module 'monaco-editor/platform/undoRedo/common/undoRedo' {
  import type { Uri } from 'monaco-editor/editor'
  export const UndoRedoGroup: new () => object
  export const IUndoRedoService: { readonly is: { removeElements(resource: Uri): void } }
}
declare module 'monaco-editor/editor/browser/stableEditorScroll' {
  import type { editor } from 'monaco-editor/editor'
  export class StableEditorScrollState {
    static capture(code: editor.ICodeEditor): StableEditorScrollState
    restore(code: editor.ICodeEditor): void
  }
}
