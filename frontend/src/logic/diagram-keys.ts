/** Moving between the tables of a diagram by keys. */
import { middle, type PlacedBox, type Point } from './diagram-links'

/**
 * The name of the table that a key leads to: by an arrow the nearest in that direction, by Home and End the first and
 * last.
 */
export function nextBox(boxes: readonly PlacedBox[], name: string, key: string): string | undefined {
  const from = boxes.find(({ box }) => box.name === name)
  if (key === 'Home') return boxes[0]?.box.name
  if (key === 'End') return boxes.at(-1)?.box.name
  const direction = DIRECTIONS[key]
  if (!from || !direction) return undefined
  const start = middle(from)
  let best: { name: string; cost: number } | undefined
  for (const placed of boxes) {
    if (placed === from) continue
    const { x, y } = middle(placed)
    const ahead = (x - start.x) * direction.x + (y - start.y) * direction.y
    const aside = Math.abs((x - start.x) * direction.y) + Math.abs((y - start.y) * direction.x)
    if (ahead <= 1) continue
    const cost = ahead + aside * 2 // a table straight ahead is preferred to a nearer one aside
    if (best === undefined || cost < best.cost) best = { name: placed.box.name, cost }
  }
  return best?.name
}

const DIRECTIONS: Readonly<Record<string, Point>> = {
  ArrowUp: { x: 0, y: -1 },
  ArrowDown: { x: 0, y: 1 },
  ArrowLeft: { x: -1, y: 0 },
  ArrowRight: { x: 1, y: 0 },
}

/** The table that a text means: the one of this name, else the first that begins with it, else the first with it inside. */
export function foundTable(names: readonly string[], text: string): string | undefined {
  const wanted = text.trim().toLowerCase()
  if (wanted === '') return undefined
  return (
    names.find((name) => name.toLowerCase() === wanted) ??
    names.find((name) => name.toLowerCase().startsWith(wanted)) ??
    names.find((name) => name.toLowerCase().includes(wanted))
  )
}
