/** Which applications the home page shows, and in which order. */

export type Order = 'name' | 'change'

interface Listed {
  id: string
  title: string
  changed_at: string
}

/** The applications whose name or id contains each word of the search, by name or the last changed first. */
export function listed<T extends Listed>(applications: readonly T[], search: string, order: Order): T[] {
  const words = search
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  const fitting = applications.filter(({ id, title }) => {
    const text = `${title} ${id}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
  return fitting.sort((one, two) =>
    order === 'change' && one.changed_at !== two.changed_at
      ? Date.parse(two.changed_at) - Date.parse(one.changed_at)
      : one.title.localeCompare(two.title, undefined, { numeric: true }) || (one.id < two.id ? -1 : 1),
  )
}
