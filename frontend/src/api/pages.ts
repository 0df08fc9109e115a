/** Lists come by the page; who needs more than the first asks for the pages behind it here. */

export interface Page<T> {
  items: T[]
  /** The cursor of the page behind this one, null on the last. */
  next: string | null
}

type AskForPage<T> = (cursor: string | null) => Promise<Page<T>>

/** One page after the other from `cursor`, as one, until what is here is enough or there is no further one. */
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

export async function allPages<T>(ask: AskForPage<T>): Promise<T[]> {
  return (await pagesUntil(() => false, ask)).items
}
