import { type RefObject, useEffect } from 'react'

/** How much of its neighbours is left in sight beside the chosen child, in pixels. */
const NEIGHBOUR = 40

/**
 * For a row of the class `strip` that scrolls sideways without a scroll bar: keeps its chosen child in sight, also when the
 * window or a font changes widths, and says where the row goes on beyond an edge (`data-before`, `data-behind`), at
 * which styles/base.css lets it fade. `subject` names what the children are: when it changes, the chosen one is sought
 * again.
 */
export function useStrip(target: RefObject<HTMLElement | null>, chosen: number, subject: unknown = null): void {
  // oxlint-disable-next-line react/exhaustive-deps -- another subject has other children
  useEffect(() => {
    const strip = target.current
    if (!strip) return undefined
    // The observer calls back at once.
    const observer = new ResizeObserver(() => {
      const child = strip.children[chosen]
      if (child instanceof HTMLElement) strip.scrollTo({ left: scrolledTo(strip, child) })
      tellEdges(strip)
    })
    const tell = () => tellEdges(strip)
    observer.observe(strip)
    for (const child of strip.children) observer.observe(child)
    strip.addEventListener('scroll', tell)
    return () => {
      observer.disconnect()
      strip.removeEventListener('scroll', tell)
    }
  }, [target, chosen, subject])
}

/** Where the strip has to be scrolled to, as near as possible, so that a child is in sight. */
function scrolledTo(strip: HTMLElement, child: HTMLElement): number {
  const left = child.offsetLeft - NEIGHBOUR
  const right = left + child.offsetWidth + 2 * NEIGHBOUR
  if (left < strip.scrollLeft) return left
  return Math.max(strip.scrollLeft, right - strip.clientWidth)
}

function tellEdges(strip: HTMLElement): void {
  const { scrollLeft, scrollWidth, clientWidth } = strip
  strip.toggleAttribute('data-before', scrollLeft > 1)
  strip.toggleAttribute('data-behind', scrollLeft + clientWidth < scrollWidth - 1)
}
