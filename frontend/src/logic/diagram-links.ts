/** Boxes of a schema diagram at their positions, and the paths of the links between them; sizes in pixels. */
import type { Box, Link } from './schema-diagram'

export interface Point {
  x: number
  y: number
}

export interface PlacedBox extends Point {
  box: Box
  width: number
  height: number
}

export interface PlacedLink {
  link: Link
  /** The `d` of an SVG path. */
  path: string
  /** The middle of its label. */
  labelAt: Point
  /** The last two points, which give the direction of the arrow. */
  end: Point
  beforeEnd: Point
}

/** The heights of a box's head and of one line, and the space above and below all lines; `TableBox` draws them so. */
export const HEAD = 34
export const LINE = 22
export const PAD = 7
/** How far a link between neighbours in a row goes below them. */
const UNDER = 26
/** How far a link from a box to itself goes beyond its right side. */
const LOOP = 26
const MOST_RADIUS = 14

/** A link along `points`, or straight between its boxes; none if a box is missing. */
export function placeLink(
  link: Link,
  boxes: ReadonlyMap<string, PlacedBox>,
  points: readonly Point[] = straight(boxes.get(link.from), boxes.get(link.to)),
  label?: Point,
): PlacedLink[] {
  return points.length < 2 ? [] : [placedLink(link, points, label)]
}

/**
 * The points of a link that dagre has not laid out: straight between two boxes, below both if they are side by side, and
 * around the corner of a box that links to itself.
 */
function straight(from: PlacedBox | undefined, to: PlacedBox | undefined): Point[] {
  if (!from || !to) return []
  if (from === to) {
    const right = from.x + from.width
    const [high, low] = [Math.min(HEAD / 2, from.height / 5), Math.min(HEAD * 1.8, from.height * 0.8)]
    return [
      { x: right, y: from.y + low },
      { x: right + LOOP, y: from.y + low },
      { x: right + LOOP, y: from.y + high },
      { x: right, y: from.y + high },
    ]
  }
  const [a, b] = [middle(from), middle(to)]
  const [fromBottom, toBottom] = [from.y + from.height, to.y + to.height]
  if (from.y < toBottom && to.y < fromBottom) {
    const below = Math.max(fromBottom, toBottom) + UNDER
    return [
      { x: a.x, y: fromBottom },
      { x: a.x, y: below },
      { x: b.x, y: below },
      { x: b.x, y: toBottom },
    ]
  }
  const [start, end] = a.y < b.y ? [from.y + from.height, to.y] : [from.y, to.y + to.height]
  return [
    { x: a.x, y: start },
    { x: b.x, y: end },
  ]
}

export function middle({ x, y, width, height }: PlacedBox): Point {
  return { x: x + width / 2, y: y + height / 2 }
}

function placedLink(link: Link, points: readonly Point[], label: Point | undefined): PlacedLink {
  const end = points.at(-1) ?? { x: 0, y: 0 }
  return {
    link,
    path: rounded(points),
    labelAt: label ?? halfway(points),
    end,
    beforeEnd: points.at(-2) ?? end,
  }
}

function halfway(points: readonly Point[]): Point {
  const middleIndex = (points.length - 1) / 2
  const [one, another] = [points[Math.floor(middleIndex)], points[Math.ceil(middleIndex)]]
  return one && another ? { x: (one.x + another.x) / 2, y: (one.y + another.y) / 2 } : { x: 0, y: 0 }
}

/** The `d` of a path through the points, with round corners. */
function rounded(points: readonly Point[]): string {
  const [first, ...rest] = points
  if (!first) return ''
  let path = `M${first.x},${first.y}`
  rest.forEach((point, index) => {
    const next = rest[index + 1]
    if (next === undefined) path += `L${point.x},${point.y}`
    else {
      const before = rest[index - 1] ?? first
      const radius = Math.min(MOST_RADIUS, distance(before, point) / 2, distance(point, next) / 2)
      const [start, end] = [toward(point, before, radius), toward(point, next, radius)]
      path += `L${start.x},${start.y}Q${point.x},${point.y} ${end.x},${end.y}`
    }
  })
  return path
}

function distance(a: Point, b: Point): number {
  return Math.hypot(a.x - b.x, a.y - b.y)
}

/** The point `length` pixels from `from` in the direction of `to`. */
function toward(from: Point, to: Point, length: number): Point {
  const whole = distance(from, to) || 1
  return { x: from.x + ((to.x - from.x) * length) / whole, y: from.y + ((to.y - from.y) * length) / whole }
}
