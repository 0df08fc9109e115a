/** Where the card of a tour stands: right, left or below the part of the window that it is about, else at its end. */

export interface Rectangle {
  left: number
  top: number
  width: number
  height: number
}

/** In pixels; the height is what the longest text needs. */
const CARD = { width: 340, height: 230 }
const GAP = 12

/** The sides of the card; those that are not named are free. A narrow window has it at its lower end. */
export function cardPlace(
  target: Rectangle,
  window: { width: number; height: number },
): { left: number; top: number; right: 'auto'; bottom: 'auto' } {
  const within = (start: number, size: number, room: number) => Math.max(8, Math.min(start, room - size - 8))
  const right = target.left + target.width
  const bottom = target.top + target.height
  const top = within(target.top + GAP, CARD.height, window.height)
  const place = (left: number, y: number) => ({ left, top: y, right: 'auto' as const, bottom: 'auto' as const })
  if (right + GAP + CARD.width <= window.width) return place(right + GAP, top)
  if (target.left >= CARD.width + 2 * GAP) return place(target.left - CARD.width - GAP, top)
  const left = within(target.left + GAP, CARD.width, window.width)
  if (bottom + GAP + CARD.height <= window.height) return place(left, bottom + GAP)
  return place(within(right - CARD.width - GAP, CARD.width, window.width), window.height - CARD.height - 34)
}
