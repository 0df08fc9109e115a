import { Maximize, ZoomIn, ZoomOut } from 'lucide-react'
import { Fragment, type KeyboardEvent, useMemo, useRef } from 'react'
import { layoutPlan, type PlacedEdge, type PlacedNode, type PlacedSegment } from '../logic/plan-layout'
import { badgesOf, heaviestNode, type Latencies, type PlanBadge, type PlanMetric } from '../logic/plan-metric'
import { findNode, neighbour } from '../logic/plan-tree'
import type { PlanNode } from '../logic/shapes'
import { IconButton } from '../ui/Button'
import { plural } from '../units'
import { Minimap } from './Minimap'
import styles from './plan-tree.module.css'
import { usePanZoom } from './usePanZoom'

interface PlanTreeProps {
  plan: PlanNode
  label: string
  /** Names what is drawn, such as query and stage: when it changes, the drawing is fitted to the frame again. */
  subject: string
  /** The id of the chosen node. */
  selected: string | undefined
  /** The id of the node whose source the caret is in. */
  followed: string | undefined
  /** The ids of nodes that the shown stage has changed. */
  changed: ReadonlySet<string>
  /** What the nodes are weighed by. */
  metric: PlanMetric
  /** The predicted p99 of nodes that have one. */
  latencies: Latencies
  /** How many open threads of comments there are about nodes, by their ids. */
  threads?: ReadonlyMap<string, number>
  onSelect: (node: PlanNode) => void
  /** Comments on a node, by the key C; without it nodes take no comments. */
  onComment?: ((node: PlanNode) => void) | undefined
}

/**
 * A plan as a tree that can be moved and zoomed: the root on top, edges as wide as their rows, and a hatched, named box
 * around each unbounded segment.
 */
export function PlanTree({
  plan,
  label,
  subject,
  selected,
  followed,
  changed,
  metric,
  latencies,
  threads,
  onSelect,
  onComment,
}: PlanTreeProps) {
  const frame = useRef<HTMLDivElement>(null)
  const layout = useMemo(() => layoutPlan(plan), [plan])
  const unboundedEnd = Math.max(0, ...layout.segments.map((segment) => segment.y + segment.height + 12))
  const panZoom = usePanZoom(frame, layout.width, layout.height, subject, unboundedEnd)
  const { viewpoint, zoom, fit } = panZoom
  const heaviest = useMemo(
    () =>
      heaviestNode(
        layout.nodes.map(({ node }) => node),
        metric,
        latencies,
      ),
    [layout, metric, latencies],
  )
  const focusable = (selected !== undefined && findNode(plan, selected)?.id) || plan.id

  const focusNode = (id: string) => {
    const placed = layout.nodes.find(({ node }) => node.id === id)
    if (placed) panZoom.reveal(placed)
    frame.current?.querySelector<SVGGElement>(`[data-node="${id}"]`)?.focus({ preventScroll: true })
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const id = event.target instanceof Element ? event.target.getAttribute('data-node') : null
    if (event.ctrlKey || event.metaKey || event.altKey) return
    if (event.key === '+' || event.key === '=') zoom(1.2)
    else if (event.key === '-' || event.key === '−') zoom(1 / 1.2)
    else if (event.key === '0') fit()
    else if (id !== null && (event.key === 'Enter' || event.key === ' ')) {
      const node = findNode(plan, id)
      if (node) onSelect(node)
    } else if (id !== null && onComment && (event.key === 'c' || event.key === 'C')) {
      const node = findNode(plan, id)
      if (node) onComment(node)
    } else if (id !== null) {
      const next = neighbour(plan, id, event.key)
      if (next === undefined) return
      focusNode(next)
    } else return
    event.preventDefault()
  }

  return (
    <div className={styles['frame']} ref={frame} data-zoomed={viewpoint.scale}>
      {/* The nodes take the focus; the svg handles their keys, and the pointer that drags the drawing. */}
      {/* oxlint-disable-next-line jsx-a11y/interactive-supports-focus */}
      <svg
        className={styles['svg']}
        role="tree"
        aria-label={label}
        onPointerDown={panZoom.onPointerDown}
        onKeyDown={onKeyDown}
      >
        <Patterns />
        <g transform={`translate(${viewpoint.x},${viewpoint.y}) scale(${viewpoint.scale})`}>
          {layout.segments.map((segment) => (
            <Segment key={segment.ids.join()} segment={segment} />
          ))}
          {layout.edges.map((edge) => (
            <Edge key={edge.from} edge={edge} />
          ))}
          {layout.nodes.map((placed) => (
            <Node
              key={placed.node.id}
              placed={placed}
              isSelected={placed.node.id === selected}
              isFollowed={placed.node.id === followed}
              isChanged={changed.has(placed.node.id)}
              isHeaviest={placed.node.id === heaviest}
              isFocusable={placed.node.id === focusable}
              metric={metric}
              latencies={latencies}
              threads={threads?.get(placed.node.id) ?? 0}
              onSelect={onSelect}
            />
          ))}
        </g>
      </svg>
      <Minimap
        nodes={layout.nodes}
        width={layout.width}
        height={layout.height}
        inSight={panZoom.inSight}
        heaviest={heaviest}
        onMove={panZoom.centre}
      />
      <div className={styles['controls']} role="group" aria-label="Zoom">
        <IconButton label="Zoom out" size="small" onClick={() => zoom(1 / 1.25)}>
          <ZoomOut size={14} aria-hidden />
        </IconButton>
        <IconButton label="Zoom in" size="small" onClick={() => zoom(1.25)}>
          <ZoomIn size={14} aria-hidden />
        </IconButton>
        <IconButton label="Fit the plan" size="small" onClick={fit}>
          <Maximize size={14} aria-hidden />
        </IconButton>
      </div>
    </div>
  )
}

interface NodeProps {
  placed: PlacedNode
  isSelected: boolean
  isFollowed: boolean
  isChanged: boolean
  isHeaviest: boolean
  isFocusable: boolean
  metric: PlanMetric
  latencies: Latencies
  threads: number
  onSelect: (node: PlanNode) => void
}

function Node({
  placed,
  isSelected,
  isFollowed,
  isChanged,
  isHeaviest,
  isFocusable,
  threads,
  onSelect,
  ...rest
}: NodeProps) {
  const { node, x, y, width, height, detailLines, level } = placed
  const badges = badgesOf(node, rest.metric, rest.latencies)
  const shown = placeBadges(badges, width - 24)
  return (
    // The tree around the nodes handles the keys.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
    <g
      role="treeitem"
      aria-level={level + 1}
      aria-selected={isSelected}
      aria-label={describe(placed, badges, isChanged, threads)}
      tabIndex={isFocusable ? 0 : -1}
      data-node={node.id}
      data-kind={node.kind}
      data-selected={isSelected}
      data-followed={isFollowed}
      data-unbounded={node.is_unbounded}
      data-changed={isChanged}
      className={styles['node']}
      transform={`translate(${x},${y})`}
      onPointerDown={(event) => event.stopPropagation()}
      onClick={() => onSelect(node)}
    >
      <title>{node.detail ? `${node.operator}: ${node.detail}` : node.operator}</title>
      <g aria-hidden>
        <rect className={styles['ring']} x={-4} y={-4} width={width + 8} height={height + 8} rx={12} />
        <rect className={styles['card']} width={width} height={height} rx={8} />
        {node.is_unbounded ? (
          <rect className={styles['hatch']} width={width} height={height} rx={8} fill="url(#plan-hatch)" />
        ) : null}
        <rect className={styles['stripe']} x={10} y={10} width={3} height={13} rx={1.5} />
        <text className={styles['operator']} x={20} y={21}>
          {node.operator}
        </text>{' '}
        {isChanged ? (
          <text className={styles['new']} x={width - 12} y={21} textAnchor="end">
            {CHANGED}
          </text>
        ) : null}{' '}
        {threads > 0 ? (
          <g className={styles['threads']} transform={`translate(${width - (threads > 9 ? 26 : 20)},-8)`}>
            <rect width={threads > 9 ? 34 : 28} height={16} rx={8} />
            <text x={threads > 9 ? 17 : 14} y={12} textAnchor="middle">
              ✎ {threads > 99 ? '99+' : threads}
            </text>
          </g>
        ) : null}{' '}
        {detailLines.map((line, index) => (
          <Fragment key={line + String(index)}>
            <text className={styles['detail']} x={12} y={41 + index * 15}>
              {line}
            </text>{' '}
          </Fragment>
        ))}
        <g transform={`translate(12,${height - 25})`}>
          {shown.map((badge) => (
            <Fragment key={badge.text}>
              <g
                transform={`translate(${badge.x},0)`}
                data-tone={badge.tone}
                data-heaviest={isHeaviest}
                className={styles['badge']}
              >
                <rect width={badge.width} height={17} rx={4} />
                <text x={badge.width / 2} y={12.5} textAnchor="middle">
                  {badge.text}
                </text>
              </g>{' '}
            </Fragment>
          ))}
        </g>
      </g>
    </g>
  )
}

function Edge({ edge }: { edge: PlacedEdge }) {
  return (
    <g aria-hidden>
      <path className={styles['edge']} data-unbounded={edge.isUnbounded} d={edge.path} strokeWidth={edge.width} />
      {edge.rows !== null ? (
        <text className={styles['edgeLabel']} x={edge.labelX + edge.width / 2 + 7} y={edge.labelY + 4}>
          ≤ {plural(edge.rows, 'row')}
        </text>
      ) : null}
    </g>
  )
}

function Segment({ segment }: { segment: PlacedSegment }) {
  return (
    <g aria-hidden>
      <rect
        className={styles['segment']}
        x={segment.x}
        y={segment.y}
        width={segment.width}
        height={segment.height}
        rx={14}
      />
      <g transform={`translate(${segment.x + 16},${segment.y - 9})`}>
        <rect className={styles['segmentTag']} width={92} height={18} rx={9} />
        <text className={styles['segmentText']} x={46} y={13} textAnchor="middle">
          ∞ unbounded
        </text>
      </g>
    </g>
  )
}

/** The hatching of unbounded nodes, which also shows in print and to readers who do not see red. */
function Patterns() {
  return (
    <defs>
      <pattern id="plan-hatch" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <line x1="0" y1="0" x2="0" y2="7" className={styles['hatchLine']} />
      </pattern>
    </defs>
  )
}

const CHANGED = 'changed here'

/** The badges that have room side by side, with position and width; the width of a text is estimated by its length. */
function placeBadges(badges: readonly PlanBadge[], room: number) {
  let x = 0
  return badges.flatMap((badge) => {
    const width = badge.text.length * 6.4 + 12
    if (x + width > room) return []
    const placed = { ...badge, x, width }
    x += width + 5
    return [placed]
  })
}

/** The accessible name: the words that are drawn, in their order, so that voice control finds what is read. */
function describe(
  { node, detailLines }: PlacedNode,
  badges: readonly { text: string }[],
  isChanged: boolean,
  threads: number,
): string {
  const detail = detailLines.join(' ')
  const drawn = [node.operator, isChanged && CHANGED, detail, ...badges.map(({ text }) => text)]
  const said = threads > 0 && plural(threads, 'open thread')
  return [...drawn, detail !== node.detail && `in full ${node.detail}`, said].filter(Boolean).join(', ')
}
