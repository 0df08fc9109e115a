/** Chooses which deployments on a time axis have their name written, so that no two names overlap. */

interface Marker {
  version: number
  isNewPlan: boolean
  /** In pixels from the left. */
  place: number
}

/** `place` is where the text starts or ends, by `anchor`. */
interface MarkerName {
  text: string
  place: number
  anchor: 'start' | 'end'
}

/** The width of a character, and the distance of a name from its line, in pixels. */
const CHARACTER = 6
const GAP = 3

/** The names for which there is room, from the latest deployment to earlier ones; the latest always has its name. */
export function namedMarkers(markers: readonly Marker[], axis: { left: number; right: number }): MarkerName[] {
  const names: MarkerName[] = []
  let taken = Infinity // everything to the right of this is taken by names
  for (const { version, isNewPlan, place } of markers.toReversed()) {
    const text = isNewPlan ? `v${version}, new plan` : `v${version}`
    const width = text.length * CHARACTER + GAP
    const isInside = place + width <= Math.min(axis.right, taken)
    const start = isInside ? place : place - width
    if (names.length > 0 && (start + width > taken || start < axis.left)) continue
    names.push(isInside ? { text, place: place + GAP, anchor: 'start' } : { text, place: place - GAP, anchor: 'end' })
    taken = start
  }
  return names
}
