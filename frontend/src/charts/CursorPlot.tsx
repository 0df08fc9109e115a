import { type KeyboardEvent, type PointerEvent, type ReactNode, type RefObject, useId, useState } from 'react'
import styles from './cursor-plot.module.css'

interface CursorPlotProps<Place> {
  /** What it is, for those who hear it. */
  kind: string
  /** What one place of it is called, in the plural. */
  places: string
  label: string
  frame: RefObject<HTMLDivElement | null>
  /** Where the cursor begins. */
  start: Place
  /** Where a key leads; undefined where it leads nowhere. */
  move: (from: Place, key: string) => Place | undefined
  under: (event: PointerEvent) => Place | null
  describe: (place: Place) => string
  onPoint: (place: Place | null) => void
  onChoose: (place: Place) => void
  children: (cursor: Place | null, isFocused: boolean) => ReactNode
}

/** A drawing that is one widget for the keyboard: the arrows move a cursor from place to place, Enter chooses. */
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
