/**
 * The pages of the guide: those of docs/ that a user reads, which Vite builds into the workbench, each loaded when it is
 * opened. A page is named by its path in docs/, without the ending: `tutorial`, `reference/types`.
 */

const TEXTS = import.meta.glob<string>(
  [
    '../../../../docs/{tutorial,chat,language,together,importing,operations,editors,scylladb,glossary}.md',
    '../../../../docs/reference/*.md',
    '!**/README.md',
  ],
  { query: '?raw', import: 'default' },
)

const IMAGES = import.meta.glob<string>('../../../../docs/images/*.png', {
  query: '?url',
  import: 'default',
  eager: true,
})

const DOCS = '../../../../docs/'

interface GuideGroup {
  title: string
  pages: readonly { name: string; title: string; about: string }[]
}

/** All pages, in the order in which one reads them. */
export const GROUPS: readonly GuideGroup[] = [
  {
    title: 'Learn',
    pages: [
      { name: 'tutorial', title: 'Tutorial', about: 'From a schema to a query with a promised latency, step by step.' },
      { name: 'chat', title: 'A chat from nothing', about: 'Your own tables, queries, rows, stores and versions.' },
      { name: 'language', title: 'The language', about: 'Tables, queries, bounds, writes: what PIQL has and means.' },
      { name: 'together', title: 'Working together', about: 'Several people edit one file at once.' },
      {
        name: 'importing',
        title: 'Import a schema',
        about: 'PostgreSQL, MySQL, SQLite, Oracle, SQL Server, Cassandra.',
      },
      { name: 'operations', title: 'Operate', about: 'Deployments, environments, security, rows and files, failures.' },
      { name: 'editors', title: 'In your own editor', about: 'The language server, and how editors start it.' },
      { name: 'scylladb', title: 'On ScyllaDB', about: 'What is the same as on Cassandra, and what is not.' },
    ],
  },
  {
    title: 'Look up',
    pages: [
      { name: 'reference/statements', title: 'Statements', about: 'The grammar, keywords and names.' },
      { name: 'reference/types', title: 'Types', about: 'Column types, and what compares with what.' },
      { name: 'reference/functions', title: 'Functions', about: 'Arithmetic, functions and aggregates.' },
      { name: 'reference/operators', title: 'Operators of plans', about: 'What each operator reads and does.' },
      { name: 'reference/optimizer', title: 'Optimizer rules', about: 'The rules of Phase I, in their order.' },
      { name: 'reference/commands', title: 'Commands', about: '`piql` and `make`.' },
      { name: 'reference/settings', title: 'Settings', about: 'Of the server, of stores, of tests.' },
      { name: 'reference/python', title: 'Python', about: 'The public names of the package `piql`.' },
      { name: 'glossary', title: 'Glossary', about: 'The terms that have a sense of their own here.' },
    ],
  },
]

/** Loads the Markdown of a page; null if there is no such page. */
export function loadPage(name: string): Promise<string> | null {
  return TEXTS[`${DOCS}${name}.md`]?.() ?? null
}

/** The address of an image of a page, by the target that the page writes. */
export function imageOf(target: string): string | undefined {
  return IMAGES[`${DOCS}${target.replace(/^(?:\.\.\/)?/, '')}`]
}

export type Target =
  | { kind: 'guide'; page: string; section: string | undefined }
  | { kind: 'code'; code: string }
  | { kind: 'address'; href: string }
  | { kind: 'none' }

/** Where a link of a page leads. Files of the repository that are no pages of the guide lead nowhere. */
export function targetOf(page: string, written: string): Target {
  if (/^https?:/.test(written)) return { kind: 'address', href: written }
  const [file = '', section] = written.split('#')
  const path = file === '' ? page : new URL(file, `http://docs/${page}`).pathname.slice(1).replace(/\.md$/, '')
  const code = /^reference\/codes\/(.+)$/.exec(path)?.[1]
  if (code !== undefined) return { kind: 'code', code: code === 'README' ? 'all' : code }
  if (path === 'README' || path === 'reference/README') return { kind: 'guide', page: '', section: undefined }
  return `${DOCS}${path}.md` in TEXTS ? { kind: 'guide', page: path, section } : { kind: 'none' }
}
