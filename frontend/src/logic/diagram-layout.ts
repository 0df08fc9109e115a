/**
 * Places the tables of a schema on a plane: a table above those that reference it (or to their left), unlinked tables
 * apart.
 *
 *     schemaDiagram → connected (groups of linked tables) → layoutGroup (dagre: ranks) → pack (groups in rows) → placed links
 *
 * A rank that would be far wider than the others, as below a table that everything references, is broken into several.
 * All sizes are in pixels; x and y are those of the top left corner of a box.
 */
import { layout as dagre, graphlib } from '@dagrejs/dagre'
import { HEAD, LINE, middle, PAD, type PlacedBox, type PlacedLink, type Point, placeLink } from './diagram-links'
import type { Box, Diagram, Line, Link } from './schema-diagram'

export interface DiagramLayout {
  width: number
  height: number
  boxes: readonly PlacedBox[]
  links: readonly PlacedLink[]
}

/** The average width of a character. */
const CHARACTER = 7
const MIN_WIDTH = 168
const MAX_WIDTH = 320
/** The width of a character of the name of a box that shows nothing else, and the room beside it, for two steps. */
const NAME_CHARACTER = 8.5
const BESIDE_NAME = 62
const MIN_NAME_WIDTH = 96
/** The distance between two groups. */
const GAP = 56
const LABEL_HEIGHT = 18
/** Where the referencing tables are: below the referenced one, or, in a wide frame, to its right. */
export type Direction = 'down' | 'right'
/** The names that dagre has for them. */
const RANK_DIRECTIONS = { down: 'TB', right: 'LR' } as const

/** The wanted ratio of width to height of the whole diagram. */
const ASPECT = 1.1

/** How many fewer names than boxes with columns stand side by side. */
const FLAT = 0.6

function boxSize(box: Box): { width: number; height: number } {
  if (box.lines.length === 0) {
    const width = Math.ceil(box.name.length * NAME_CHARACTER + BESIDE_NAME)
    return { width: Math.min(MAX_WIDTH, Math.max(MIN_NAME_WIDTH, width)), height: HEAD }
  }
  const widest = Math.max(...box.lines.map(lineLength), box.name.length * 1.15 + 12)
  return {
    width: Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, Math.ceil(widest * CHARACTER + 52))),
    height: HEAD + box.lines.length * LINE + PAD * 2,
  }
}

function lineLength({ name, detail }: Line): number {
  return name.length + detail.length + 2
}

/**
 * A function that lays out one diagram after another. While tables and foreign keys stay the same (only the steps of
 * the query change), every box stays where it is.
 */
export function layouter(): (diagram: Diagram, direction: Direction) => DiagramLayout {
  let last: { shape: string; layout: DiagramLayout } | undefined
  return (diagram, direction) => {
    const shape = `${direction} ${shapeOf(diagram)}`
    const layout = last?.shape === shape ? refilled(diagram, last.layout) : layoutDiagram(diagram, direction)
    last = { shape, layout }
    return layout
  }
}

/** A key of everything that the positions depend on. */
function shapeOf({ boxes, links }: Diagram): string {
  const keys = links.filter(({ kind }) => kind !== 'step').map(({ id, label }) => [id, label])
  return JSON.stringify([boxes.map(({ name, lines }) => [name, lines.map((line) => line.name + line.detail)]), keys])
}

/** Positions of all boxes and links of a diagram. */
export function layoutDiagram(diagram: Diagram, direction: Direction = 'down'): DiagramLayout {
  const sizes = new Map(diagram.boxes.map((box) => [box.name, { box, ...boxSize(box) }]))
  const keys = diagram.links.filter(({ kind }) => kind !== 'step')
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

/** A diagram of the same shape in the positions of an earlier layout; only links of steps are placed anew. */
function refilled(diagram: Diagram, earlier: DiagramLayout): DiagramLayout {
  const byName = new Map(earlier.boxes.map((placed) => [placed.box.name, placed]))
  const links = new Map(earlier.links.map((placed) => [placed.link.id, placed]))
  return {
    ...earlier,
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

interface Sized {
  box: Box
  width: number
  height: number
}

/** A laid-out group of linked tables, with coordinates of its own; `points` and `labels` are by the id of the link. */
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

/** A group in ranks; a second layout breaks ranks that are too wide in the first. */
function layoutGroup(
  names: readonly string[],
  links: readonly Link[],
  sizes: ReadonlyMap<string, Sized>,
  direction: Direction,
): Group {
  const inside = new Set(names)
  const linksInside = links.filter(({ from, to }) => inside.has(from) && inside.has(to))
  const first = ranked(names, linksInside, sizes, direction, new Map())
  const most = Math.ceil(Math.sqrt(names.length * ASPECT))
  // Names are wide and flat: fewer of them stand side by side than above each other.
  const isWide = direction === 'down' && isNamesOnly(names, sizes)
  const extra = brokenRanks(first, direction, Math.max(3, isWide ? Math.ceil(most * FLAT) : most))
  return extra.size === 0 ? first : ranked(names, linksInside, sizes, direction, extra)
}

/** The distances between boxes, between ranks and between links. */
const ROOMY = { nodesep: 36, ranksep: 44, edgesep: 14 }
const DENSE = { nodesep: 16, ranksep: 36, edgesep: 8 }

function isNamesOnly(names: readonly string[], sizes: ReadonlyMap<string, Sized>): boolean {
  return names.every((name) => sizes.get(name)?.box.lines.length === 0)
}

/** One group in ranks, by dagre; `extra` says by table how many ranks are put between it and those that it references. */
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
    ...(isNamesOnly(names, sizes) ? DENSE : ROOMY),
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
    // The label of a long link would widen every rank that the link passes, so it is put at the link's end below.
    const width = (direction === 'down' && further > 0) || !link.label ? 0 : link.label.length * CHARACTER + 8
    // The second line is for a step of the query.
    const label = { width, height: link.label ? LABEL_HEIGHT * 2 : 0, labelpos: 'c', minlen: 1 + further }
    // Edges go from the referenced table, which stands above, to the referencing one.
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

/** By table, how many ranks further down it must go so that no rank holds more than `most` tables; empty if none must. */
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

/** Puts groups from left to right into rows whose width makes the whole a little wider than high. */
function pack(groups: readonly Group[]): Shelves {
  const area = groups.reduce((sum, { width, height }) => sum + (width + GAP) * (height + GAP), 0)
  const most = Math.max(...groups.map(({ width }) => width), Math.sqrt(area * ASPECT))
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
