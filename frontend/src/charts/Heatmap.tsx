import { type PointerEvent, useEffect, useMemo, useRef } from 'react'
import {
  type CellIndex,
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
}

/** The middle of the dot of a measured cell, from its corner, and where it ends. */
const DOT = 6
const DOT_END = 10
const MARGIN = { top: 10, right: 12, bottom: 46, left: 64 }

/** p99 over two limits: a canvas of cells, and in SVG around it axes, contour and cursor. */
export function Heatmap({ grid, xLabel, yLabel, label, current, chosen, describe, onPoint, onChoose }: HeatmapProps) {
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
  spacing: number
  minimum: number
  place: (index: number) => [number, number]
  anchor: 'middle' | 'end'
}

/** Every value where there is room, else every second, third … */
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

function inset(box: { x: number; y: number; width: number; height: number }, by: number) {
  return {
    x: box.x + by,
    y: box.y + by,
    width: Math.max(0, box.width - 2 * by),
    height: Math.max(0, box.height - 2 * by),
  }
}

/** Cells, numbers where they fit, a dot where measured, a question mark where extrapolated, a line where refused, hatching beyond the SLO. */
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
  const hasText = cellWidth >= 36 && cellHeight >= 18
  context.font = `500 11px ${getComputedStyle(canvas).fontFamily}`
  context.textAlign = 'center'
  context.textBaseline = 'middle'
  grid.p99.forEach((line, row) => {
    line.forEach((p99, column) => {
      const x = column * cellWidth
      const y = height - (row + 1) * cellHeight
      if (p99 === null) {
        crossOut(context, x, y, cellWidth, cellHeight)
        return
      }
      const colour = cividis(share(p99))
      const ink = inkOn(colour)
      const state = grid.states[row]?.[column]
      context.fillStyle = `rgb(${colour.red},${colour.green},${colour.blue})`
      context.fillRect(x, y, Math.ceil(cellWidth) + 0.5, Math.ceil(cellHeight) + 0.5)
      if (grid.meets[row]?.[column] === false) hatch(context, x, y, cellWidth, cellHeight, ink)
      context.fillStyle = ink
      if (state === 'measured') {
        context.beginPath()
        context.arc(x + DOT, y + DOT, Math.min(2.4, cellWidth / 5), 0, Math.PI * 2)
        context.fill()
      }
      if (hasText) {
        const mark = state === 'extrapolated' ? ' ?' : ''
        const whole = formatMs(p99).replace(' ms', '') + mark
        const text = context.measureText(whole).width > cellWidth - 4 ? shortened(p99) + mark : whole
        const textWidth = context.measureText(text).width
        // In a low cell the dot stands beside the number, not over it.
        const besideDot =
          state === 'measured' && cellHeight < 30 && cellWidth / 2 - textWidth / 2 < DOT_END ? DOT_END : 0
        if (textWidth > cellWidth - besideDot - 4) return
        const middle = x + (cellWidth + besideDot) / 2
        if (grid.meets[row]?.[column] === false) {
          context.fillStyle = `rgb(${colour.red},${colour.green},${colour.blue})`
          context.fillRect(middle - textWidth / 2 - 3, y + cellHeight / 2 - 8, textWidth + 6, 16)
          context.fillStyle = ink
        }
        context.fillText(text, middle, y + cellHeight / 2 + 0.5)
      } else if (state === 'extrapolated' && cellWidth >= 9) {
        context.fillText('?', x + cellWidth / 2, y + cellHeight / 2)
      }
    })
  })
}

/** A number for a narrow cell: 3.5s, 106. */
function shortened(ms: number): string {
  return ms >= 1000 ? `${Number((ms / 1000).toPrecision(2))}s` : String(Number(ms.toPrecision(2)))
}

/** A cell that has no number: grey, and a line across. */
function crossOut(context: CanvasRenderingContext2D, x: number, y: number, width: number, height: number): void {
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

function hatch(
  context: CanvasRenderingContext2D,
  x: number,
  y: number,
  width: number,
  height: number,
  ink: string,
): void {
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
