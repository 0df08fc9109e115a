import { type KeyboardEvent, type PointerEvent, type ReactNode, type RefObject, useId, useRef, useState } from 'react'
import styles from './cursor-plot.module.css'

/** `Place` is one position of the cursor: a cell of a heatmap, or the index of a point of a curve. */
interface CursorPlotProps<Place> {
  /** What kind of drawing it is, for screen readers. */
  kind: string
  /** The word for several places, such as `cells`. */
  places: string
  label: string
  frame: RefObject<HTMLDivElement | null>
  /** Where the cursor begins. */
  start: Place
  /** The place that a key leads to; undefined for a key that does not move the cursor. */
  move: (from: Place, key: string) => Place | undefined
  /** The place under the pointer. */
  under: (event: PointerEvent) => Place | null
  /** The sentence that a screen reader says of a place. */
  describe: (place: Place) => string
  /** The cursor has moved, by keys or by the pointer; null when it left the drawing. */
  onPoint: (place: Place | null) => void
  onChoose: (place: Place) => void
  /** A stretch between two places was drawn, by dragging or with Shift; without it nothing can be drawn. */
  onStretch?: (from: Place, to: Place) => void
  children: (cursor: Place | null, isFocused: boolean) => ReactNode
}

/** A drawing that is one widget for the keyboard: arrow keys move a cursor, Enter chooses the place that it is at. */
export function CursorPlot<Place>({
  kind,
  places,
  label,
  frame,
  start,
  move,
  under,
  describe,
  onPoint,
  onChoose,
  onStretch,
  children,
}: CursorPlotProps<Place>) {
  const hintId = useId()
  const [cursor, setCursor] = useState<Place | null>(null)
  const [isFocused, setFocused] = useState(false)
  const from = cursor ?? start
  const point = (place: Place | null) => {
    setCursor(place)
    onPoint(place)
  }
  /** Where the stretch that is being drawn began: with the pointer, or with Shift. */
  const began = useRef<{ pressed: Place | null; isDrawn: boolean; held: Place | null }>({
    pressed: null,
    isDrawn: false,
    held: null,
  })
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' || event.key === ' ') onChoose(from)
    else {
      const next = move(from, event.key)
      if (next === undefined) return
      began.current.held = event.shiftKey ? (began.current.held ?? from) : null
      if (began.current.held !== null) onStretch?.(began.current.held, next)
      point(next)
    }
    event.preventDefault()
  }
  const onPointerDown = (event: PointerEvent) => {
    if (event.button === 0) began.current = { pressed: under(event), isDrawn: false, held: null }
  }
  const onPointerMove = (event: PointerEvent) => {
    const place = under(event)
    point(place)
    const { pressed } = began.current
    if (!onStretch || event.buttons !== 1 || pressed === null || place === null) return
    if (!began.current.isDrawn && isSame(pressed, place)) return
    if (!began.current.isDrawn) event.currentTarget.setPointerCapture(event.pointerId)
    began.current.isDrawn = true
    onStretch(pressed, place)
  }
  return (
    <div className={styles['frame']} ref={frame}>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions */}
      <div
        className={styles['plot']}
        role="application"
        aria-roledescription={kind}
        aria-label={label}
        aria-describedby={hintId}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
        onKeyDown={onKeyDown}
        onFocus={() => {
          setFocused(true)
          if (cursor === null) point(from)
        }}
        onBlur={() => setFocused(false)}
        onPointerDown={onPointerDown}
        onPointerMove={onPointerMove}
        onPointerLeave={() => {
          if (!isFocused) point(null)
        }}
        onClick={(event) => {
          if (began.current.isDrawn) return // the end of a stretch
          const place = under(event as unknown as PointerEvent)
          if (place !== null) onChoose(place)
        }}
      >
        {children(cursor, isFocused)}
      </div>
      <p id={hintId} className="visually-hidden">
        Arrow keys move along the {places}, Enter chooses one.
        {onStretch ? ' With Shift they choose a region.' : ''}
      </p>
      <p className="visually-hidden" role="status" aria-label="Cell">
        {cursor !== null && isFocused ? describe(cursor) : ''}
      </p>
    </div>
  )
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
