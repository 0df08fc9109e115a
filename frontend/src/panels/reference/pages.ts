/** The reference's pages of all codes, built into the workbench: they are read without any network. */

const FILES = import.meta.glob<string>('../../../../docs/reference/codes/*.md', {
  query: '?raw',
  import: 'default',
  eager: true,
})

/** In the place of a code: the list of all of them. */
export const CONTENTS = 'all'

const PAGES: ReadonlyMap<string, string> = new Map(
  Object.entries(FILES).map(([path, text]) => {
    const name = path.slice(path.lastIndexOf('/') + 1, -'.md'.length)
    return [name === 'README' ? CONTENTS : name, text]
  }),
)

export function pageOf(code: string): string | undefined {
  return PAGES.get(code)
}
