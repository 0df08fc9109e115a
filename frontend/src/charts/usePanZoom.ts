/**
 * Moves and scales a drawing inside a frame: dragging and the wheel move it, the wheel with Ctrl or ⌘ and `zoom` scale
 * it, and `fit` shows all of it. It is fitted by itself until the reader moves it.
 */
import { type PointerEvent, type RefObject, useCallback, useEffect, useRef, useState } from 'react'

/** The drawing's origin inside the frame, in pixels, and its scale. */
export interface Viewpoint {
  x: number
  y: number
  scale: number
}

/** A part of the drawing, in its own pixels. */
export interface Area {
  x: number
  y: number
  width: number
  height: number
}

export interface PanZoom {
  viewpoint: Viewpoint
  /** The part of the drawing's plane that the frame shows. */
  inSight: Area
  zoom: (factor: number) => void
  fit: () => void
  /** Moves the drawing so that a point of it is in the middle of the frame. */
  centre: (x: number, y: number) => void
  /** Moves the drawing as little as shows an area of it, if it does not yet. */
  reveal: (area: Area) => void
  onPointerDown: (event: PointerEvent) => void
}

/** Fitting does not scale below this; a drawing that is still too large is cut. */
const READABLE_SCALE = 0.64
/** How much of the margin above a drawing may be cut off, in its own pixels. */
const MARGIN_CUT = 18
const MIN_SCALE = 0.2
const MAX_SCALE = 2.5

/**
 * `width` and `height` are those of the drawing. `subject` names what is drawn: when it changes, the drawing is fitted
 * again. A drawing that has to be cut shows its top, or, if `showUntil` is further down than that, the part that ends at
 * `showUntil`.
 */
export function usePanZoom(
  frame: RefObject<Element | null>,
  width: number,
  height: number,
  subject: string,
  showUntil = 0,
): PanZoom {
  const [viewpoint, setViewpoint] = useState<Viewpoint>({ x: 0, y: 0, scale: 1 })
  const [size, setSize] = useState({ width: 0, height: 0 })
  const hasMoved = useRef(false)
  const fittedSubject = useRef(subject)

  const fit = useCallback(() => {
    const box = frame.current?.getBoundingClientRect()
    if (!box || box.width === 0) return
    const scale = Math.min(1, Math.max(READABLE_SCALE, Math.min(box.width / width, box.height / height)))
    const isTaller = height * scale > box.height
    const top = Math.min(-MARGIN_CUT * scale, box.height - showUntil * scale)
    setViewpoint({ x: (box.width - width * scale) / 2, y: isTaller ? top : (box.height - height * scale) / 2, scale })
    hasMoved.current = false
  }, [frame, width, height, showUntil])

  const zoomAt = useCallback((factor: number, atX: number, atY: number) => {
    hasMoved.current = true
    setViewpoint((view) => {
      const scale = Math.min(MAX_SCALE, Math.max(MIN_SCALE, view.scale * factor))
      const growth = scale / view.scale
      return { scale, x: atX - (atX - view.x) * growth, y: atY - (atY - view.y) * growth }
    })
  }, [])

  const zoom = useCallback(
    (factor: number) => {
      const box = frame.current?.getBoundingClientRect()
      if (box) zoomAt(factor, box.width / 2, box.height / 2)
    },
    [frame, zoomAt],
  )

  const centre = useCallback(
    (x: number, y: number) => {
      const box = frame.current?.getBoundingClientRect()
      if (!box) return
      hasMoved.current = true
      setViewpoint(({ scale }) => ({ scale, x: box.width / 2 - x * scale, y: box.height / 2 - y * scale }))
    },
    [frame],
  )

  const reveal = useCallback(
    (area: Area) => {
      const box = frame.current?.getBoundingClientRect()
      if (!box) return
      setViewpoint((view) => {
        const x = movedInto(view.x, area.x * view.scale, area.width * view.scale, box.width)
        const y = movedInto(view.y, area.y * view.scale, area.height * view.scale, box.height)
        if (x === view.x && y === view.y) return view
        hasMoved.current = true
        return { scale: view.scale, x, y }
      })
    },
    [frame],
  )

  useEffect(() => {
    const element = frame.current
    if (!element) return undefined
    if (fittedSubject.current !== subject) hasMoved.current = false
    fittedSubject.current = subject
    // The observer calls back at once, so this also fits a new drawing.
    const observer = new ResizeObserver(() => {
      setSize({ width: element.clientWidth, height: element.clientHeight })
      if (!hasMoved.current) fit()
    })
    const onWheel = (event: globalThis.WheelEvent) => {
      event.preventDefault()
      const box = element.getBoundingClientRect()
      if (event.ctrlKey || event.metaKey)
        zoomAt(Math.exp(-event.deltaY / 200), event.clientX - box.left, event.clientY - box.top)
      else {
        hasMoved.current = true
        setViewpoint((view) => ({ ...view, x: view.x - event.deltaX, y: view.y - event.deltaY }))
      }
    }
    observer.observe(element)
    // Not by React's onWheel: its listener is passive and cannot keep the page from scrolling.
    const listener = onWheel as EventListener
    element.addEventListener('wheel', listener, { passive: false })
    return () => {
      observer.disconnect()
      element.removeEventListener('wheel', listener)
    }
  }, [frame, fit, zoomAt, subject])

  const onPointerDown = useCallback((event: PointerEvent) => {
    if (event.button !== 0) return
    let { clientX, clientY } = event
    const onMove = (move: globalThis.PointerEvent) => {
      const [dx, dy] = [move.clientX - clientX, move.clientY - clientY]
      ;({ clientX, clientY } = move)
      hasMoved.current = true
      setViewpoint((view) => ({ ...view, x: view.x + dx, y: view.y + dy }))
    }
    const onUp = () => {
      window.removeEventListener('pointermove', onMove)
      window.removeEventListener('pointerup', onUp)
    }
    window.addEventListener('pointermove', onMove)
    window.addEventListener('pointerup', onUp)
  }, [])

  const { scale } = viewpoint
  const inSight = {
    x: -viewpoint.x / scale,
    y: -viewpoint.y / scale,
    width: size.width / scale,
    height: size.height / scale,
  }
  return { viewpoint, inSight, zoom, fit, centre, reveal, onPointerDown }
}

const EDGE = 12

/** The origin on one axis that brings a stretch into a frame, with a gap at the edge; a longer one shows its start. */
function movedInto(origin: number, start: number, length: number, frameLength: number): number {
  const most = frameLength - EDGE - length - start
  const least = EDGE - start
  return origin < least ? least : origin > most ? Math.max(least, most) : origin
}
