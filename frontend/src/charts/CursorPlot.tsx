import { type KeyboardEvent, type PointerEvent, type ReactNode, type RefObject, useId, useState } from 'react'
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
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' || event.key === ' ') onChoose(from)
    else {
      const next = move(from, event.key)
      if (next === undefined) return
      point(next)
    }
    event.preventDefault()
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
        onPointerMove={(event) => point(under(event))}
        onPointerLeave={() => {
          if (!isFocused) point(null)
        }}
        onClick={(event) => {
          const place = under(event as unknown as PointerEvent)
          if (place !== null) onChoose(place)
        }}
      >
        {children(cursor, isFocused)}
      </div>
      <p id={hintId} className="visually-hidden">
        Arrow keys move along the {places}, Enter chooses one.
      </p>
      <p className="visually-hidden" role="status" aria-label="Cell">
        {cursor !== null && isFocused ? describe(cursor) : ''}
      </p>
    </div>
  )
}
