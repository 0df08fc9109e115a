/** Reads lists, which the API returns page by page: all of a list, or as many pages as are needed. */

export interface Page<T> {
  items: T[]
  /** The cursor of the next page; null on the last one. */
  next: string | null
}

/** Requests the page at a cursor; null is the first page. */
type AskForPage<T> = (cursor: string | null) => Promise<Page<T>>

/** Reads pages from `cursor` on and joins them to one, until `isEnough` accepts the items so far or the list ends. */
export async function pagesUntil<T>(
  isEnough: (items: readonly T[]) => boolean,
  ask: AskForPage<T>,
  cursor: string | null = null,
): Promise<Page<T>> {
  const items: T[] = []
  let next = cursor
  do {
    const page = await ask(next)
    items.push(...page.items)
    next = page.next
  } while (next !== null && !isEnough(items))
  return { items, next }
}

/** All items of a list. */
export async function allPages<T>(ask: AskForPage<T>): Promise<T[]> {
  return (await pagesUntil(() => false, ask)).items
}
