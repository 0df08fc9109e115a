import { type PointerEvent, useEffect, useMemo, useRef } from 'react'
import {
  type CellIndex,
  type Colour,
  cividis,
  contourPath,
  type Grid,
  inkOn,
  logScale,
  moveCell,
  sloContour,
} from '../logic/heatmap'
import { formatMs } from '../units'
import { CursorPlot } from './CursorPlot'
import { fitted } from './fitted'
import styles from './heatmap.module.css'
import { useSize } from './useSize'

interface HeatmapProps {
  grid: Grid
  xLabel: string
  yLabel: string
  label: string
  /** The cell of the limits as they are in the text. */
  current: CellIndex | null
  chosen: CellIndex | null
  describe: (cell: CellIndex) => string
  onPoint: (cell: CellIndex | null) => void
  onChoose: (cell: CellIndex) => void
  /** The first and the last cell of the chosen region. */
  region: { first: CellIndex; last: CellIndex } | null
  onRegion: (from: CellIndex, to: CellIndex) => void
}

/** The middle of a measured cell's dot, in pixels from the cell's corner, and its far end with a gap. */
const DOT = 6
const DOT_END = 10
const MARGIN = { top: 10, right: 12, bottom: 46, left: 64 }

/**
 * p99 over two limits: a canvas with the cells, and over it an SVG with the axes, the contour of the SLO, the cursor, and
 * frames around the current and the chosen cell. Row 0 of the grid is at the bottom.
 */
export function Heatmap({
  grid,
  xLabel,
  yLabel,
  label,
  current,
  chosen,
  describe,
  onPoint,
  onChoose,
  region,
  onRegion,
}: HeatmapProps) {
  const [frame, { width, height }] = useSize<HTMLDivElement>()
  const canvas = useRef<HTMLCanvasElement>(null)
  const columns = grid.xs.length
  const rows = grid.ys.length
  const plotWidth = Math.max(0, width - MARGIN.left - MARGIN.right)
  const plotHeight = Math.max(0, height - MARGIN.top - MARGIN.bottom)
  const cellWidth = plotWidth / columns
  const cellHeight = plotHeight / rows
  const scale = useMemo(() => logScale(grid.p99.flat()), [grid])
  const contour = useMemo(
    () =>
      contourPath(sloContour(grid.meets), (x, y) => [
        MARGIN.left + x * cellWidth,
        MARGIN.top + (rows - y) * cellHeight,
      ]),
    [grid, cellWidth, cellHeight, rows],
  )

  useEffect(() => {
    if (canvas.current && plotWidth > 0 && plotHeight > 0)
      paint(canvas.current, grid, plotWidth, plotHeight, scale.share)
  }, [grid, plotWidth, plotHeight, scale])

  const cellUnder = (event: PointerEvent): CellIndex | null => {
    const box = event.currentTarget.getBoundingClientRect()
    const column = Math.floor((event.clientX - box.left - MARGIN.left) / cellWidth)
    const row = rows - 1 - Math.floor((event.clientY - box.top - MARGIN.top) / cellHeight)
    return column >= 0 && column < columns && row >= 0 && row < rows ? { column, row } : null
  }
  const boxOf = ({ column, row }: CellIndex) => ({
    x: MARGIN.left + column * cellWidth,
    y: MARGIN.top + (rows - 1 - row) * cellHeight,
    width: cellWidth,
    height: cellHeight,
  })
  return (
    <CursorPlot
      kind="heatmap"
      places="cells"
      label={label}
      frame={frame}
      start={chosen ?? current ?? { column: 0, row: 0 }}
      move={(from, key) => moveCell(from, key, columns, rows)}
      under={cellUnder}
      describe={describe}
      onPoint={onPoint}
      onChoose={onChoose}
      onStretch={onRegion}
    >
      {(cursor, isFocused) => (
        <>
          <canvas
            ref={canvas}
            className={styles['canvas']}
            style={{ left: MARGIN.left, top: MARGIN.top, width: plotWidth, height: plotHeight }}
          />
          <svg className={styles['overlay']} width={width} height={height} aria-hidden>
            <path className={styles['contourOuter']} d={contour} />
            <path className={styles['contourInner']} d={contour} />
            <Ticks
              values={grid.xs}
              spacing={cellWidth}
              minimum={34}
              place={(index) => [MARGIN.left + (index + 0.5) * cellWidth, MARGIN.top + plotHeight + 16]}
              anchor="middle"
            />
            <Ticks
              values={grid.ys}
              spacing={cellHeight}
              minimum={15}
              place={(index) => [MARGIN.left - 8, MARGIN.top + (rows - index - 0.5) * cellHeight + 4]}
              anchor="end"
            />
            <text className={styles['axis']} x={MARGIN.left + plotWidth / 2} y={height - 8} textAnchor="middle">
              {fitted(xLabel, plotWidth)}
            </text>
            <text
              className={styles['axis']}
              transform={`translate(14,${MARGIN.top + plotHeight / 2}) rotate(-90)`}
              textAnchor="middle"
            >
              {fitted(yLabel, plotHeight)}
            </text>
            {current ? (
              <rect
                className={styles[grid.p99[current.row]?.[current.column] === null ? 'currentOnGrey' : 'current']}
                {...inset(boxOf(current), 3)}
                rx={3}
              />
            ) : null}
            {region ? (
              <rect className={styles['region']} {...boxAround(boxOf(region.first), boxOf(region.last))} />
            ) : null}
            {chosen ? <rect className={styles['chosen']} {...inset(boxOf(chosen), 1)} rx={2} /> : null}
            {cursor ? (
              <rect className={styles['cursor']} {...inset(boxOf(cursor), 0)} data-focused={isFocused} />
            ) : null}
          </svg>
        </>
      )}
    </CursorPlot>
  )
}

interface TicksProps {
  values: readonly number[]
  /** The distance of two neighbouring values in pixels. */
  spacing: number
  /** The least distance of two numbers that are written. */
  minimum: number
  /** The x and y of the number at an index. */
  place: (index: number) => [number, number]
  anchor: 'middle' | 'end'
}

/** The numbers along an axis: every value if there is room, else every second, third … */
function Ticks({ values, spacing, minimum, place, anchor }: TicksProps) {
  const step = Math.max(1, Math.ceil(minimum / Math.max(spacing, 1)))
  return (
    <>
      {values.map((value, index) => {
        if (index % step !== 0) return null
        const [x, y] = place(index)
        return (
          <text key={value} className={styles['tick']} x={x} y={y} textAnchor={anchor}>
            {value}
          </text>
        )
      })}
    </>
  )
}

/** The box around a lower left and an upper right one. */
function boxAround(first: Box, last: Box): Box {
  return { x: first.x, y: last.y, width: last.x + last.width - first.x, height: first.y + first.height - last.y }
}

/** A box that is smaller by so many pixels on every side. */
function inset(box: Box, margin: number): Box {
  return {
    x: box.x + margin,
    y: box.y + margin,
    width: Math.max(0, box.width - 2 * margin),
    height: Math.max(0, box.height - 2 * margin),
  }
}

/** Draws all cells; `share` maps milliseconds to 0 … 1 of the colour scale. */
function paint(
  canvas: HTMLCanvasElement,
  grid: Grid,
  width: number,
  height: number,
  share: (value: number) => number,
): void {
  const ratio = window.devicePixelRatio || 1
  canvas.width = Math.round(width * ratio)
  canvas.height = Math.round(height * ratio)
  const context = canvas.getContext('2d')
  if (!context) return
  context.scale(ratio, ratio)
  const cellWidth = width / grid.xs.length
  const cellHeight = height / grid.ys.length
  context.font = `500 11px ${getComputedStyle(canvas).fontFamily}`
  context.textAlign = 'center'
  context.textBaseline = 'middle'
  grid.p99.forEach((line, row) => {
    line.forEach((p99, column) => {
      const box = { x: column * cellWidth, y: height - (row + 1) * cellHeight, width: cellWidth, height: cellHeight }
      if (p99 === null) crossOut(context, box)
      else {
        const isBeyondSlo = grid.meets[row]?.[column] === false
        paintCell(context, box, { p99, state: grid.states[row]?.[column], colour: cividis(share(p99)), isBeyondSlo })
      }
    })
  })
}

interface Box {
  x: number
  y: number
  width: number
  height: number
}

interface PaintedCell {
  p99: number
  state: string | undefined
  colour: Colour
  isBeyondSlo: boolean
}

/**
 * A cell with a number: its colour, hatching beyond the SLO, a dot if measured, and the number or a `?` where it fits.
 */
function paintCell(context: CanvasRenderingContext2D, box: Box, cell: PaintedCell): void {
  const { x, y, width, height } = box
  const ink = inkOn(cell.colour)
  context.fillStyle = cssColour(cell.colour)
  context.fillRect(x, y, Math.ceil(width) + 0.5, Math.ceil(height) + 0.5)
  if (cell.isBeyondSlo) hatch(context, box, ink)
  context.fillStyle = ink
  if (cell.state === 'measured') {
    context.beginPath()
    context.arc(x + DOT, y + DOT, Math.min(2.4, width / 5), 0, Math.PI * 2)
    context.fill()
  }
  if (width >= 36 && height >= 18) paintNumber(context, box, cell, ink)
  else if (cell.state === 'extrapolated' && width >= 9) context.fillText('?', x + width / 2, y + height / 2)
}

/** The milliseconds in the middle of a cell, shortened if need be; nothing where even that is too wide. */
function paintNumber(context: CanvasRenderingContext2D, box: Box, cell: PaintedCell, ink: string): void {
  const { x, y, width, height } = box
  const mark = cell.state === 'extrapolated' ? ' ?' : ''
  const whole = formatMs(cell.p99).replace(' ms', '') + mark
  const text = context.measureText(whole).width > width - 4 ? shortened(cell.p99) + mark : whole
  const textWidth = context.measureText(text).width
  // In a low cell the number stands beside the dot, not under it.
  const besideDot = cell.state === 'measured' && height < 30 && width / 2 - textWidth / 2 < DOT_END ? DOT_END : 0
  if (textWidth > width - besideDot - 4) return
  const middle = x + (width + besideDot) / 2
  if (cell.isBeyondSlo) {
    context.fillStyle = cssColour(cell.colour)
    context.fillRect(middle - textWidth / 2 - 3, y + height / 2 - 8, textWidth + 6, 16)
    context.fillStyle = ink
  }
  context.fillText(text, middle, y + height / 2 + 0.5)
}

function cssColour({ red, green, blue }: Colour): string {
  return `rgb(${red},${green},${blue})`
}

/** A number for a narrow cell: 3.5s, 106. */
function shortened(ms: number): string {
  return ms >= 1000 ? `${Number((ms / 1000).toPrecision(2))}s` : String(Number(ms.toPrecision(2)))
}

/** A cell that has no number: grey, and a line across. */
function crossOut(context: CanvasRenderingContext2D, { x, y, width, height }: Box): void {
  context.save()
  context.strokeStyle = context.fillStyle = '#8a8a86'
  context.globalAlpha = 0.28
  context.fillRect(x, y, Math.ceil(width) + 0.5, Math.ceil(height) + 0.5)
  context.globalAlpha = 0.8
  context.beginPath()
  context.moveTo(x + width * 0.35, y + height / 2)
  context.lineTo(x + width * 0.65, y + height / 2)
  context.stroke()
  context.restore()
}

/** Slanted lines over a cell. */
function hatch(context: CanvasRenderingContext2D, { x, y, width, height }: Box, ink: string): void {
  context.save()
  context.beginPath()
  context.rect(x, y, width, height)
  context.clip()
  context.strokeStyle = ink
  context.globalAlpha = 0.42
  context.lineWidth = 1
  context.beginPath()
  for (let offset = -height; offset < width; offset += 7) {
    context.moveTo(x + offset, y + height)
    context.lineTo(x + offset + height, y)
  }
  context.stroke()
  context.restore()
}
