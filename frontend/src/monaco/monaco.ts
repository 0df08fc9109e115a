/** Monaco with the features a PIQL editor needs, and no more: one line a feature. */
import './style-nonce'
import 'monaco-editor/features/bracketMatching/register'
import 'monaco-editor/features/caretOperations/register'
import 'monaco-editor/features/clipboard/register'
import 'monaco-editor/features/codeAction/register'
import 'monaco-editor/features/codicon/register'
import 'monaco-editor/features/comment/register'
import 'monaco-editor/features/contextmenu/register'
import 'monaco-editor/features/cursorUndo/register'
import 'monaco-editor/features/find/register'
import 'monaco-editor/features/folding/register'
import 'monaco-editor/features/format/register'
import 'monaco-editor/features/gotoError/register'
import 'monaco-editor/features/gotoSymbol/register'
import 'monaco-editor/features/hover/register'
import 'monaco-editor/features/indentation/register'
import 'monaco-editor/features/lineSelection/register'
import 'monaco-editor/features/linesOperations/register'
import 'monaco-editor/features/multicursor/register'
import 'monaco-editor/features/parameterHints/register'
import 'monaco-editor/features/placeholderText/register'
import 'monaco-editor/features/quickOutline/register'
import 'monaco-editor/features/referenceSearch/register'
import 'monaco-editor/features/rename/register'
// features/semanticTokens/register has those of a viewport only.
import 'monaco-editor/editor/contrib/semanticTokens/browser/documentSemanticTokens'
import 'monaco-editor/features/smartSelect/register'
import 'monaco-editor/features/snippet/register'
import 'monaco-editor/features/suggest/register'
// 0.57 leaves the completion popup out of suggest/register.
import 'monaco-editor/editor/contrib/suggest/browser/suggestController'
import 'monaco-editor/features/toggleTabFocusMode/register'
import 'monaco-editor/features/tokenization/register'
import 'monaco-editor/features/wordHighlighter/register'
import 'monaco-editor/features/wordOperations/register'
// The suffix makes Vite build a worker of it, which the linter does not know.
// oxlint-disable-next-line import/default
import EditorWorker from 'monaco-editor/editor/editor.worker?worker'

self.MonacoEnvironment = { getWorker: () => new EditorWorker() }

export type { CancellationToken, IDisposable, IMarkdownString, IPosition, IRange } from 'monaco-editor/editor'
export { editor, KeyCode, KeyMod, languages, MarkerSeverity, Range, Uri } from 'monaco-editor/editor'
