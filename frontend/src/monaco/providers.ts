/** Connects Monaco to the language service of the back end: one provider for each kind of question, in providers/. */
import { LANGUAGE } from './language'
import { languages } from './monaco'
import { folds, formatting, outline, tokens } from './providers/file'
import { fixes } from './providers/fixes'
import { hover } from './providers/hover'
import { definitions, highlights, references, renaming } from './providers/names'
import { completion, signatures } from './providers/typing'

/** To be called once. */
export function registerProviders(): void {
  languages.registerCodeActionProvider(LANGUAGE, fixes, { providedCodeActionKinds: ['quickfix'] })
  languages.registerCompletionItemProvider(LANGUAGE, completion)
  languages.registerDefinitionProvider(LANGUAGE, definitions)
  languages.registerDocumentFormattingEditProvider(LANGUAGE, formatting)
  languages.registerDocumentHighlightProvider(LANGUAGE, highlights)
  languages.registerDocumentSemanticTokensProvider(LANGUAGE, tokens)
  languages.registerDocumentSymbolProvider(LANGUAGE, outline)
  languages.registerFoldingRangeProvider(LANGUAGE, folds)
  languages.registerHoverProvider(LANGUAGE, hover)
  languages.registerReferenceProvider(LANGUAGE, references)
  languages.registerRenameProvider(LANGUAGE, renaming)
  languages.registerSignatureHelpProvider(LANGUAGE, signatures)
}
