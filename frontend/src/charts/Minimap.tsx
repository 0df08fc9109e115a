import type { PointerEvent } from 'react'
import type { PlacedNode } from '../logic/plan-layout'
import styles from './minimap.module.css'
import type { Area } from './usePanZoom'

interface MinimapProps {
  nodes: readonly PlacedNode[]
  /** The size of the drawing, in its own pixels. */
  width: number
  height: number
  inSight: Area
  /** The id of the marked node. */
  heaviest: string | undefined
  onMove: (x: number, y: number) => void
}

/** In pixels of the page. */
const MOST_WIDTH = 132
const MOST_HEIGHT = 92
/** How much of the drawing's margin may be out of sight before the map is worth its room. */
const SLACK = 30

/**
 * The whole drawing in small with a frame around what is in sight, while that is not everything. A press or a drag moves
 * the drawing; the keyboard has the arrow keys of the nodes.
 */
export function Minimap({ nodes, width, height, inSight, heaviest, onMove }: MinimapProps) {
  const isWhole =
    inSight.width === 0 ||
    (inSight.x <= SLACK &&
      inSight.y <= SLACK &&
      inSight.x + inSight.width >= width - SLACK &&
      inSight.y + inSight.height >= height - SLACK)
  if (isWhole) return null
  const scale = Math.min(MOST_WIDTH / width, MOST_HEIGHT / height)
  const move = (event: PointerEvent<SVGSVGElement>) => {
    const box = event.currentTarget.getBoundingClientRect()
    onMove((event.clientX - box.left) / scale, (event.clientY - box.top) / scale)
  }
  return (
    <svg
      className={styles['minimap']}
      width={width * scale}
      height={height * scale}
      viewBox={`0 0 ${width} ${height}`}
      aria-hidden
      data-minimap
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId)
        move(event)
      }}
      onPointerMove={(event) => {
        if (event.buttons > 0) move(event)
      }}
    >
      {nodes.map((placed) => (
        <rect
          key={placed.node.id}
          className={styles['node']}
          data-unbounded={placed.node.is_unbounded}
          data-heaviest={placed.node.id === heaviest}
          x={placed.x}
          y={placed.y}
          width={placed.width}
          height={placed.height}
          rx={10}
        />
      ))}
      <rect className={styles['sight']} vectorEffect="non-scaling-stroke" {...cut(inSight, width, height)} />
    </svg>
  )
}

/** The part of an area that lies within the drawing. */
function cut(area: Area, width: number, height: number): Area {
  const x = Math.max(0, area.x)
  const y = Math.max(0, area.y)
  return {
    x,
    y,
    width: Math.max(0, Math.min(width, area.x + area.width) - x),
    height: Math.max(0, Math.min(height, area.y + area.height) - y),
  }
}
