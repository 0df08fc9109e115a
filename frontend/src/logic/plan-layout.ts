/**
 * Places a plan's nodes on a plane: the root on top, data flowing up along edges as wide as their rows.
 *
 *          ┌ Stop 50 ┐              level 0
 *          └────┬────┘
 *     ┌ SortedIndexJoin ┐           level 1, as high as its tallest node
 *     └───┬─────────┬───┘
 *   ┌ IndexScan ┐ ┌ Relation ┐      level 2
 */
import { hierarchy, tree } from 'd3-hierarchy'
import type { PlanNode } from './shapes'

export interface PlacedNode {
  node: PlanNode
  /** The top left corner. */
  x: number
  y: number
  width: number
  height: number
  detailLines: string[]
  level: number
}

export interface PlacedEdge {
  from: string
  to: string
  path: string
  width: number
  isUnbounded: boolean
  rows: number | null
  /** The position of the label with the rows. */
  labelX: number
  labelY: number
}

/** A box around connected unbounded nodes, whose ids it has. */
export interface PlacedSegment {
  x: number
  y: number
  width: number
  height: number
  ids: string[]
}

export interface PlanLayout {
  nodes: PlacedNode[]
  edges: PlacedEdge[]
  segments: PlacedSegment[]
  width: number
  height: number
}

/** In pixels, but for DETAIL_COLUMNS: the characters of the monospaced detail that fit into a node. */
const NODE_WIDTH = 272
const DETAIL_COLUMNS = 37
const MAX_DETAIL_LINES = 3
const HEAD_HEIGHT = 30
const LINE_HEIGHT = 15
const BADGE_HEIGHT = 22
const LEVEL_GAP = 40
const SIBLING_GAP = 28
const MARGIN = 36

/** Positions of all nodes, edges and boxes, and the size of the whole. */
export function layoutPlan(root: PlanNode): PlanLayout {
  const laidOut = tree<PlanNode>()
    .nodeSize([NODE_WIDTH + SIBLING_GAP, 1])
    .separation(() => 1)(hierarchy(root, (node) => [...node.children]))
  const placed = laidOut.descendants().map((point) => {
    const detailLines = wrap(point.data.detail, DETAIL_COLUMNS, MAX_DETAIL_LINES)
    return { point, detailLines, height: nodeHeight(point.data, detailLines.length) }
  })

  const levelHeights: number[] = []
  for (const { point, height } of placed) levelHeights[point.depth] = Math.max(levelHeights[point.depth] ?? 0, height)
  const levelTops = levelHeights.map((_, level) =>
    levelHeights.slice(0, level).reduce((sum, height) => sum + height + LEVEL_GAP, MARGIN),
  )
  const left = Math.min(...placed.map(({ point }) => point.x)) - NODE_WIDTH / 2 - MARGIN

  const nodes = placed.map(({ point, detailLines, height }) => ({
    node: point.data,
    x: point.x - NODE_WIDTH / 2 - left,
    y: levelTops[point.depth] ?? MARGIN,
    width: NODE_WIDTH,
    height,
    detailLines,
    level: point.depth,
  }))
  const byId = new Map(nodes.map((node) => [node.node.id, node]))
  const edges = laidOut.links().flatMap(({ source, target }) => {
    const parent = byId.get(source.data.id)
    const child = byId.get(target.data.id)
    return parent && child ? [placeEdge(parent, child)] : []
  })
  return {
    nodes,
    edges,
    segments: placeSegments(nodes, byId),
    width: Math.max(...nodes.map((node) => node.x + node.width)) + MARGIN,
    height: Math.max(...nodes.map((node) => node.y + node.height)) + MARGIN,
  }
}

/** 1 row is a hairline, a hundred rows a band: the width grows with the logarithm of the rows. */
export function edgeWidth(rows: number | null | undefined): number {
  if (rows === null || rows === undefined) return 1.5
  return Math.min(14, 1.5 + 2.2 * Math.log10(Math.max(1, rows)))
}

function nodeHeight(node: PlanNode, lines: number): number {
  const hasBadges = typeof node.operations === 'number' || typeof node.rows === 'number' || node.is_unbounded
  return HEAD_HEIGHT + lines * LINE_HEIGHT + (hasBadges ? BADGE_HEIGHT : 0) + 8
}

function placeEdge(parent: PlacedNode, child: PlacedNode): PlacedEdge {
  const fromX = child.x + child.width / 2
  const fromY = child.y
  const toX = parent.x + parent.width / 2
  const toY = parent.y + parent.height
  const middle = (fromY + toY) / 2
  return {
    from: child.node.id,
    to: parent.node.id,
    path: `M${fromX},${fromY}C${fromX},${middle} ${toX},${middle} ${toX},${toY}`,
    width: edgeWidth(child.node.rows),
    isUnbounded: child.node.is_unbounded,
    rows: child.node.rows ?? null,
    labelX: (fromX + toX) / 2,
    labelY: middle,
  }
}

/** One box around each connected group of unbounded nodes. */
function placeSegments(nodes: PlacedNode[], byId: Map<string, PlacedNode>): PlacedSegment[] {
  const parentOf = new Map<string, string>()
  for (const { node } of nodes) for (const child of node.children) parentOf.set(child.id, node.id)
  const groups = new Map<string, PlacedNode[]>()
  const groupOf = new Map<string, string>()
  for (const placed of nodes) {
    if (!placed.node.is_unbounded) continue
    const parent = parentOf.get(placed.node.id)
    const above = parent === undefined ? undefined : byId.get(parent)
    const group = (above?.node.is_unbounded ? groupOf.get(above.node.id) : undefined) ?? placed.node.id
    groupOf.set(placed.node.id, group)
    groups.set(group, [...(groups.get(group) ?? []), placed])
  }
  const pad = 14
  return [...groups.values()].map((members) => {
    const x = Math.min(...members.map((member) => member.x)) - pad
    const y = Math.min(...members.map((member) => member.y)) - pad
    return {
      x,
      y,
      width: Math.max(...members.map((member) => member.x + member.width)) + pad - x,
      height: Math.max(...members.map((member) => member.y + member.height)) + pad - y,
      ids: members.map((member) => member.node.id),
    }
  })
}

/** Breaks a text into lines of at most `columns` characters; a text with too many lines ends in an ellipsis. */
export function wrap(text: string, columns: number, maxLines: number): string[] {
  if (text === '') return []
  const lines: string[] = []
  let line = ''
  for (const word of text.split(/\s+/).flatMap((long) => pieces(long, columns))) {
    if (line === '') line = word
    else if (line.length + 1 + word.length <= columns) line += ` ${word}`
    else {
      lines.push(line)
      line = word
    }
  }
  lines.push(line)
  if (lines.length <= maxLines) return lines
  const last = lines[maxLines - 1] ?? ''
  return [...lines.slice(0, maxLines - 1), `${last.slice(0, columns - 1)}…`]
}

/** Cuts a word that is longer than a line. */
function pieces(word: string, columns: number): string[] {
  const parts: string[] = []
  for (let start = 0; start < word.length; start += columns) parts.push(word.slice(start, start + columns))
  return parts
}
