/**
 * Places the tables of a schema on a plane: what is referenced above what references it, tables that nothing links apart.
 *
 * Tables that are linked are laid out together, and the groups are then packed into rows. A rank that would be far
 * wider than the others, as below a table that everything references, is broken into several.
 */
import { layout as dagre, graphlib } from '@dagrejs/dagre'
import type { Box, Diagram, Line, Link } from './schema-diagram'

interface Point {
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
  path: string
  /** The middle of its label. */
  labelAt: Point
  /** Where it ends, and where it came from: the direction of its arrow. */
  end: Point
  beforeEnd: Point
}

export interface DiagramLayout {
  width: number
  height: number
  boxes: readonly PlacedBox[]
  links: readonly PlacedLink[]
}

export const HEAD = 34
export const LINE = 22
export const PAD = 7
const CHARACTER = 6.7
const MIN_WIDTH = 168
const MAX_WIDTH = 320
const GAP = 56
const UNDER = 26
const LABEL_HEIGHT = 18
/** Where what references a table stands: below it, or, where there is more width than height, to its right. */
export type Direction = 'down' | 'right'
const RANK_DIRECTIONS = { down: 'TB', right: 'LR' } as const

/** How much wider than high the whole is wanted. */
const WIDER = 1.1

function boxSize(box: Box): { width: number; height: number } {
  const widest = Math.max(...box.lines.map(lineLength), box.name.length * 1.15 + 12)
  return {
    width: Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, Math.ceil(widest * CHARACTER + 52))),
    height: HEAD + box.lines.length * LINE + PAD * 2,
  }
}

function lineLength({ name, detail }: Line): number {
  return name.length + detail.length + 2
}

/** Lays out one diagram after another: as long as tables and keys are the same, every place stays where it is. */
export function layouter(): (diagram: Diagram, direction: Direction) => DiagramLayout {
  let before: { shape: string; layout: DiagramLayout } | undefined
  return (diagram, direction) => {
    const shape = `${direction} ${shapeOf(diagram)}`
    const layout = before?.shape === shape ? refilled(diagram, before.layout) : layoutDiagram(diagram, direction)
    before = { shape, layout }
    return layout
  }
}

function shapeOf({ boxes, links }: Diagram): string {
  const keys = links.filter(({ kind }) => kind === 'key').map(({ id, label }) => [id, label])
  return JSON.stringify([boxes.map(({ name, lines }) => [name, lines.map((line) => line.name + line.detail)]), keys])
}

export function layoutDiagram(diagram: Diagram, direction: Direction = 'down'): DiagramLayout {
  const sizes = new Map(diagram.boxes.map((box) => [box.name, { box, ...boxSize(box) }]))
  const keys = diagram.links.filter(({ kind }) => kind === 'key')
  const groups = connected(
    diagram.boxes.map(({ name }) => name),
    keys,
  ).map((names) => layoutGroup(names, keys, sizes, direction))
  const shelves = pack(groups)
  const boxes: PlacedBox[] = []
  const paths = new Map<string, Point[]>()
  const labels = new Map<string, Point>()
  for (const { group, x, y } of shelves.placed) {
    boxes.push(...group.boxes.map((placed) => ({ ...placed, x: placed.x + x, y: placed.y + y })))
    for (const [id, points] of group.points)
      paths.set(
        id,
        points.map((point) => ({ x: point.x + x, y: point.y + y })),
      )
    for (const [id, point] of group.labels) labels.set(id, { x: point.x + x, y: point.y + y })
  }
  const byName = new Map(boxes.map((placed) => [placed.box.name, placed]))
  const inOrder = diagram.boxes.flatMap(({ name }) => byName.get(name) ?? [])
  const links = diagram.links.flatMap((link) => placeLink(link, byName, paths.get(link.id), labels.get(link.id)))
  return { width: shelves.width, height: shelves.height, boxes: inOrder, links }
}

function refilled(diagram: Diagram, before: DiagramLayout): DiagramLayout {
  const byName = new Map(before.boxes.map((placed) => [placed.box.name, placed]))
  const links = new Map(before.links.map((placed) => [placed.link.id, placed]))
  return {
    ...before,
    boxes: diagram.boxes.flatMap((box) => {
      const placed = byName.get(box.name)
      return placed ? [{ ...placed, box }] : []
    }),
    links: diagram.links.flatMap((link) => {
      const placed = links.get(link.id)
      return placed ? [{ ...placed, link }] : placeLink(link, byName)
    }),
  }
}

function placeLink(
  link: Link,
  boxes: ReadonlyMap<string, PlacedBox>,
  points: readonly Point[] = straight(boxes.get(link.from), boxes.get(link.to)),
  label?: Point,
): PlacedLink[] {
  return points.length < 2 ? [] : [placedLink(link, points, label)]
}

interface Sized {
  box: Box
  width: number
  height: number
}

interface Group {
  width: number
  height: number
  boxes: PlacedBox[]
  points: Map<string, Point[]>
  labels: Map<string, Point>
}

/** The tables in groups that foreign keys link, the largest first. */
function connected(names: readonly string[], links: readonly Link[]): string[][] {
  const groupOf = new Map(names.map((name) => [name, [name]]))
  for (const { from, to } of links) {
    const [one, another] = [groupOf.get(from), groupOf.get(to)]
    if (!one || !another || one === another) continue
    one.push(...another)
    for (const name of another) groupOf.set(name, one)
  }
  return [...new Set(groupOf.values())].toSorted((a, b) => b.length - a.length)
}

function layoutGroup(
  names: readonly string[],
  links: readonly Link[],
  sizes: ReadonlyMap<string, Sized>,
  direction: Direction,
): Group {
  const inside = new Set(names)
  const own = links.filter(({ from, to }) => inside.has(from) && inside.has(to))
  const first = ranked(names, own, sizes, direction, new Map())
  const extra = brokenRanks(first, direction, Math.max(3, Math.ceil(Math.sqrt(names.length * WIDER))))
  return extra.size === 0 ? first : ranked(names, own, sizes, direction, extra)
}

/** One group by ranks; `extra` ranks are put between a table and those that it references. */
function ranked(
  names: readonly string[],
  links: readonly Link[],
  sizes: ReadonlyMap<string, Sized>,
  direction: Direction,
  extra: ReadonlyMap<string, number>,
): Group {
  const graph = new graphlib.Graph({ multigraph: true })
  graph.setGraph({
    rankdir: RANK_DIRECTIONS[direction],
    ranker: 'tight-tree',
    nodesep: 36,
    ranksep: 44,
    edgesep: 14,
    marginx: 12,
    marginy: 12,
  })
  for (const name of names) {
    const { width = MIN_WIDTH, height = HEAD } = sizes.get(name) ?? {}
    graph.setNode(name, { width, height })
  }
  for (const link of links) {
    if (link.from === link.to) continue
    const further = extra.get(link.from) ?? 0
    // A label on a long link would widen every rank that it passes: it stands at its end instead.
    const width = direction === 'down' && further > 0 ? 0 : link.label.length * CHARACTER + 8
    // The second line is for a step that may be laid over it.
    const label = { width, height: LABEL_HEIGHT * 2, labelpos: 'c', minlen: 1 + further }
    // What is referenced stands above.
    graph.setEdge(link.to, link.from, label, link.id)
  }
  dagre(graph)
  const boxes = names.flatMap((name): PlacedBox[] => {
    const sized = sizes.get(name)
    const { x, y, width, height } = graph.node(name) as Point & { width: number; height: number }
    return sized ? [{ box: sized.box, x: x - width / 2, y: y - height / 2, width, height }] : []
  })
  const points = new Map<string, Point[]>()
  const labels = new Map<string, Point>()
  for (const { v, w, name = '' } of graph.edges()) {
    const edge = graph.edge({ v, w, name }) as { points: Point[]; x?: number; y?: number }
    points.set(name, edge.points.toReversed())
    const [start] = edge.points.slice(-1)
    if (direction === 'down' && extra.has(w) && start) labels.set(name, { x: start.x, y: start.y - LABEL_HEIGHT * 0.8 })
    else if (edge.x !== undefined && edge.y !== undefined) labels.set(name, { x: edge.x, y: edge.y })
  }
  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number }
  return { width, height, boxes, points, labels }
}

/** How many ranks further down each table goes, so that no rank holds more than `most`. */
function brokenRanks(group: Group, direction: Direction, most: number): Map<string, number> {
  const ranks = new Map<number, PlacedBox[]>()
  for (const placed of group.boxes) {
    const rank = Math.round(middle(placed)[direction === 'down' ? 'y' : 'x'])
    ranks.set(rank, [...(ranks.get(rank) ?? []), placed])
  }
  const extra = new Map<string, number>()
  for (const boxes of ranks.values()) {
    if (boxes.length <= most + 1) continue
    boxes
      .toSorted((a, b) => (direction === 'down' ? a.x - b.x : a.y - b.y))
      .forEach(({ box }, index) => {
        const further = index % Math.ceil(boxes.length / most)
        if (further > 0) extra.set(box.name, further)
      })
  }
  return extra
}

interface Shelves {
  placed: { group: Group; x: number; y: number }[]
  width: number
  height: number
}

/** Groups from left to right in rows, as wide as makes the whole a little wider than high. */
function pack(groups: readonly Group[]): Shelves {
  const area = groups.reduce((sum, { width, height }) => sum + (width + GAP) * (height + GAP), 0)
  const most = Math.max(...groups.map(({ width }) => width), Math.sqrt(area * WIDER))
  const placed: Shelves['placed'] = []
  let [x, y, row, widest] = [0, 0, 0, 0]
  for (const group of groups) {
    if (x > 0 && x + group.width > most) {
      y += row + GAP
      x = 0
      row = 0
    }
    placed.push({ group, x, y })
    x += group.width + GAP
    row = Math.max(row, group.height)
    widest = Math.max(widest, x - GAP)
  }
  return { placed, width: widest, height: y + row }
}

/** Between two boxes: below both where they stand side by side; one that leads back to its own goes round its corner. */
function straight(from: PlacedBox | undefined, to: PlacedBox | undefined): Point[] {
  if (!from || !to) return []
  if (from === to) {
    const [right, top] = [from.x + from.width, from.y]
    return [
      { x: right, y: top + HEAD * 1.8 },
      { x: right + 26, y: top + HEAD * 1.8 },
      { x: right + 26, y: top + HEAD / 2 },
      { x: right, y: top + HEAD / 2 },
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

function middle({ x, y, width, height }: PlacedBox): Point {
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
  const at = (points.length - 1) / 2
  const [one, another] = [points[Math.floor(at)], points[Math.ceil(at)]]
  return one && another ? { x: (one.x + another.x) / 2, y: (one.y + another.y) / 2 } : { x: 0, y: 0 }
}

/** A path through the points with its corners cut. */
function rounded(points: readonly Point[]): string {
  const [first, ...rest] = points
  if (!first) return ''
  let path = `M${first.x},${first.y}`
  rest.forEach((point, index) => {
    const next = rest[index + 1]
    if (next === undefined) path += `L${point.x},${point.y}`
    else {
      const before = rest[index - 1] ?? first
      const radius = Math.min(14, distance(before, point) / 2, distance(point, next) / 2)
      const [start, end] = [toward(point, before, radius), toward(point, next, radius)]
      path += `L${start.x},${start.y}Q${point.x},${point.y} ${end.x},${end.y}`
    }
  })
  return path
}

function distance(a: Point, b: Point): number {
  return Math.hypot(a.x - b.x, a.y - b.y)
}

function toward(from: Point, to: Point, length: number): Point {
  const whole = distance(from, to) || 1
  return { x: from.x + ((to.x - from.x) * length) / whole, y: from.y + ((to.y - from.y) * length) / whole }
}

/** The table that an arrow key leads to: the nearest in its direction. */
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
    const at = middle(placed)
    const ahead = (at.x - start.x) * direction.x + (at.y - start.y) * direction.y
    const aside = Math.abs((at.x - start.x) * direction.y) + Math.abs((at.y - start.y) * direction.x)
    if (ahead <= 1) continue
    const cost = ahead + aside * 2
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
