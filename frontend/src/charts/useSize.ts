import { type RefObject, useEffect, useRef, useState } from 'react'

/** A ref for an element, and its size on the page in whole pixels; zero before it is drawn. */
export function useSize<E extends Element>(): [RefObject<E | null>, { width: number; height: number }] {
  const element = useRef<E>(null)
  const [size, setSize] = useState({ width: 0, height: 0 })
  useEffect(() => {
    if (!element.current) return undefined
    const observer = new ResizeObserver(([entry]) => {
      if (entry) setSize({ width: Math.floor(entry.contentRect.width), height: Math.floor(entry.contentRect.height) })
    })
    observer.observe(element.current)
    return () => observer.disconnect()
  }, [])
  return [element, size]
}
