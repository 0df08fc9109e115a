/**
 * PIQL as a language of Monaco: brackets, comments, and a tokenizer that colours words at once. The language service
 * colours names by their meaning a moment later (providers/file.ts); errors come from the compiler alone.
 */
import { FUNCTIONS, KEYWORDS, TYPES } from '../logic/words'
import { languages } from './monaco'

export const LANGUAGE = 'piql'

/** Registers the language; to be called once. */
export function registerLanguage(): void {
  languages.register({ id: LANGUAGE, extensions: ['.piql'], aliases: ['PIQL'] })
  languages.setLanguageConfiguration(LANGUAGE, {
    comments: { lineComment: '--', blockComment: ['/*', '*/'] },
    brackets: [
      ['(', ')'],
      ['[', ']'],
    ],
    autoClosingPairs: [
      { open: '(', close: ')' },
      { open: '[', close: ']' },
      { open: "'", close: "'", notIn: ['string', 'comment'] },
    ],
    surroundingPairs: [
      { open: '(', close: ')' },
      { open: '[', close: ']' },
      { open: "'", close: "'" },
    ],
    indentationRules: { increaseIndentPattern: /\($/, decreaseIndentPattern: /^\s*\)/ },
  })
  languages.setMonarchTokensProvider(LANGUAGE, {
    ignoreCase: true,
    keywords: KEYWORDS,
    types: TYPES,
    functions: FUNCTIONS,
    tokenizer: {
      root: [
        [/--.*$/, 'comment'],
        [/\/\*/, 'comment', '@comment'],
        [/'(?:[^'\n]|'')*'?/, 'string'],
        [/"(?:[^"\n]|"")*"?|`(?:[^`\n]|``)*`?/, 'identifier'],
        [/\[(?:\s*\d+\s*:)?\s*[A-Za-z_]\w*\s*\]|:[A-Za-z_]\w*|\?|\$\d+/, 'parameter'],
        [/\b(?:TRUE|FALSE|NULL)\b/, 'constant'],
        [/\.[A-Za-z_]\w*/, 'identifier'],
        [/\d+(?:\.\d+)?/, 'number'],
        [
          /[A-Za-z_]\w*(?=\s*\()/, // MAX is a function here, and a keyword elsewhere
          { cases: { '@functions': 'function', '@keywords': 'keyword', '@types': 'type', '@default': 'identifier' } },
        ],
        [
          /[A-Za-z_]\w*/,
          { cases: { '@keywords': 'keyword', '@types': 'type', '@functions': 'function', '@default': 'identifier' } },
        ],
        [/[<>=!]=?|[-+*/%]|\|\|/, 'operator'],
        [/[(),.;[\]]/, 'delimiter'],
      ],
      comment: [
        [/\*\//, 'comment', '@pop'],
        [/./, 'comment'],
      ],
    },
  })
}
