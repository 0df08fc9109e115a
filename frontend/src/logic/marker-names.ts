/** Which deployments have their name on an axis of time: none stands on another's. */

interface Marker {
  version: number
  isNewPlan: boolean
  /** In pixels from the left. */
  place: number
}

interface MarkerName {
  text: string
  place: number
  anchor: 'start' | 'end'
}

const CHARACTER = 6
const GAP = 3

/** The names that have room, those of the latest deployments first; the latest has its name always. */
export function namedMarkers(markers: readonly Marker[], axis: { left: number; right: number }): MarkerName[] {
  const names: MarkerName[] = []
  let taken = Infinity // from here to the right there is a name already
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
