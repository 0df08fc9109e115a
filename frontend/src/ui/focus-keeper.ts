/**
 * Keeps the keyboard's place. An element that leaves the page takes the focus with it, and the browser gives it to no
 * other: a dialog that removes itself, a row that was deleted, a button whose work is done. Then the focus goes to the
 * first of these that is there:
 *
 *     the same element → its row's next row, the one before → the nearest panel, dialog or region around it
 *
 * and if none is, to the first of these for what had the focus before. So after a dialog it goes to what opened it. Where
 * the page around it is gone, it goes to the content of the page that came.
 */

/** An element that had the focus, with what was around it then. */
interface Place {
  element: HTMLElement
  /** The rows beside the row that it is in. */
  neighbours: readonly Element[]
  /** From the inside out; up to the dialog, for what is in one. */
  ancestors: readonly Element[]
}

/** So many frames an element that is still there may be hidden, as one is that is being drawn anew. */
const MOST_FRAMES = 10
/** So many places are remembered: a dialog has fewer stops on the way to its end. */
const MOST_PLACES = 50

const ROW = 'li, tr, [role=option], [role=row]'
const STOPS = 'a[href], button, input, select, textarea, [tabindex="0"]'
/** What can take the focus, but only if it is given. */
const AREA = '[tabindex="-1"]'

/** Watches the page until the function that it returns is called. */
export function keepFocus(): () => void {
  let places: Place[] = []
  const onFocus = ({ target }: FocusEvent) => {
    if (target instanceof HTMLElement) places = [...places.slice(1 - MOST_PLACES), placeOf(target)]
  }
  // Who clicks beside everything wants the focus nowhere.
  const onClick = () => {
    if (hasNoFocus() && places.at(-1)?.element.isConnected) places = []
  }
  const giveBack = (framesLeft: number) => {
    if (!isLost(places)) return
    const before = places.findLast(({ element }) => element.isConnected)?.element
    if (framesLeft > 0 && before && !canTakeFocus(before)) requestAnimationFrame(() => giveBack(framesLeft - 1))
    else successor(places)?.focus({ preventScroll: true })
  }
  // After a frame: what removes an element may itself give the focus on.
  const observer = new MutationObserver(() => {
    if (isLost(places)) requestAnimationFrame(() => giveBack(MOST_FRAMES))
  })
  observer.observe(document.body, { childList: true, subtree: true })
  document.addEventListener('focusin', onFocus)
  document.addEventListener('click', onClick, { capture: true })
  return () => {
    observer.disconnect()
    document.removeEventListener('focusin', onFocus)
    document.removeEventListener('click', onClick, { capture: true })
  }
}

function placeOf(element: HTMLElement): Place {
  const row = element.closest(ROW)
  const neighbours = [row?.nextElementSibling, row?.previousElementSibling].filter(
    (sibling) => sibling instanceof Element,
  )
  const ancestors: Element[] = []
  for (let parent = element.parentElement; parent; parent = parent.parentElement) {
    ancestors.push(parent)
    if (parent.tagName === 'DIALOG') break
  }
  return { element, neighbours, ancestors }
}

function hasNoFocus(): boolean {
  return document.activeElement === null || document.activeElement === document.body
}

function isLost(places: readonly Place[]): boolean {
  const last = places.at(-1)
  return last !== undefined && !last.element.isConnected && hasNoFocus()
}

/** What takes the focus in place of the last element that had it. */
function successor(places: readonly Place[]): HTMLElement | undefined {
  for (const { element, neighbours, ancestors } of places.toReversed()) {
    if (canTakeFocus(element)) return element
    const stops = neighbours.flatMap((row) => [row, ...row.querySelectorAll(STOPS)])
    const areas = ancestors.filter((ancestor) => ancestor.matches(AREA))
    const taking = [...stops.filter((stop) => stop.matches(STOPS)), ...areas].find(canTakeFocus)
    if (taking) return taking
    if (ancestors.some((ancestor) => ancestor.tagName === 'MAIN' && !ancestor.isConnected)) break
  }
  return [...document.querySelectorAll('main')].find(canTakeFocus)
}

function canTakeFocus(element: Element): element is HTMLElement {
  return (
    element instanceof HTMLElement &&
    element.isConnected &&
    !element.matches(':disabled') &&
    element.checkVisibility({ visibilityProperty: true })
  )
}
