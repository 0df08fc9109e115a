/** Who edits a file together: what a page says of itself to the others, and what the editor's bar shows of it. */

/** What a page says of itself; all of it may be missing, because another program may have said it. */
export interface PresenceState {
  name?: unknown
  /** The tab of the browser, by which somebody is followed from file to file. */
  tab?: unknown
  query?: unknown
  /** The first line in sight. */
  top?: unknown
  /** The file that is opened next. */
  goesTo?: unknown
}

export interface Participant {
  client: number
  tab: string
  name: string
  query: string | null
  top: number | null
  goesTo: string | null
  /** Which of the colours, from 0; the same on all pages. */
  colour: number
}

const COLOURS = 6
const LONGEST_NAME = 40

/** The others, by name; who has no name is a guest. */
export function othersOf(states: ReadonlyMap<number, PresenceState>, own: number): Participant[] {
  const clients = [...states.keys()].toSorted((a, b) => a - b)
  return clients
    .filter((client) => client !== own)
    .map((client) => {
      const state = states.get(client) ?? {}
      return {
        client,
        tab: text(state.tab) ?? String(client),
        name: text(state.name)?.slice(0, LONGEST_NAME) ?? guestName(client),
        query: text(state.query),
        top: typeof state.top === 'number' ? state.top : null,
        goesTo: text(state.goesTo),
        colour: clients.indexOf(client) % COLOURS,
      }
    })
    .toSorted((a, b) => a.name.localeCompare(b.name) || a.client - b.client)
}

/** The name of somebody who is not signed in. */
export function guestName(client: number): string {
  return `Guest ${100 + (client % 900)}`
}

/** `Ada Lovelace` → `AL`, `ben` → `B`, `Guest 123` → `G1`. */
export function initials(name: string): string {
  const words = name.split(/[\s._@-]+/).filter((word) => word !== '')
  return words
    .slice(0, 2)
    .map((word) => [...word][0]?.toUpperCase() ?? '')
    .join('')
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}
