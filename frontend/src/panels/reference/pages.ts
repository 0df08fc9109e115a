/** The reference pages of all codes (docs/reference/codes), which Vite builds into the workbench as texts. */

const FILES = import.meta.glob<string>('../../../../docs/reference/codes/*.md', {
  query: '?raw',
  import: 'default',
  eager: true,
})

/** In place of a code: the page that lists all codes. */
export const CONTENTS = 'all'

const PAGES: ReadonlyMap<string, string> = new Map(
  Object.entries(FILES).map(([path, text]) => {
    const name = path.slice(path.lastIndexOf('/') + 1, -'.md'.length)
    return [name === 'README' ? CONTENTS : name, text]
  }),
)

/** The Markdown of a code's page; undefined for an unknown code. */
export function pageOf(code: string): string | undefined {
  return PAGES.get(code)
}
