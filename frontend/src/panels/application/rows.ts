/**
 * The rows of the sidebar by keyboard: one row is a stop of Tab, the arrow keys, Home and End walk along all of them, and
 * the buttons of a row are stops only while it is the one. So five hundred rows are one stop.
 */
import { type RefObject, useEffect } from 'react'

/** The attributes of a row, and those of the buttons beside it. `useRows` alone changes their `tabIndex`. */
export const ROW = { 'data-row': '', tabIndex: -1 } as const
export const ROW_ACTION = { 'data-row-action': '', tabIndex: -1 } as const

const ROWS = '[data-row]'

export function useRows(container: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const element = container.current
    if (!element) return undefined
    const stop = () => element.querySelector<HTMLElement>(`${ROWS}[tabindex="0"]`)
    let lastFocused: HTMLElement | null = null
    const onFocus = ({ target }: FocusEvent) => {
      if (!(target instanceof HTMLElement) || !target.matches(ROWS)) return
      lastFocused = target
      makeStop(target, stop())
    }
    const onKeyDown = (event: KeyboardEvent) => {
      const next = rowAfter(event, element)
      if (!next) return
      event.preventDefault()
      next.focus()
    }
    // Rows come and go: there is always a stop, at first the one that is shown. It takes the focus of a row that goes,
    // as one does to which an arrow led before the filter was applied.
    const keepStop = () => {
      if (!stop()) {
        const row = element.querySelector<HTMLElement>(`${ROWS}[aria-current="true"]`) ?? visibleRows(element)[0]
        if (row) makeStop(row, null)
      }
      if (lastFocused === null || lastFocused.isConnected) return
      lastFocused = null
      const { activeElement } = document
      if (activeElement === document.body || activeElement === element) stop()?.focus()
    }
    const observer = new MutationObserver(keepStop)
    observer.observe(element, { childList: true, subtree: true })
    keepStop()
    element.addEventListener('focusin', onFocus)
    element.addEventListener('keydown', onKeyDown)
    return () => {
      observer.disconnect()
      element.removeEventListener('focusin', onFocus)
      element.removeEventListener('keydown', onKeyDown)
    }
  }, [container])
}

function makeStop(row: HTMLElement, before: HTMLElement | null): void {
  if (before) for (const element of stopsOf(before)) element.tabIndex = -1
  for (const element of stopsOf(row)) element.tabIndex = 0
}

/** A row with its buttons. */
function stopsOf(row: HTMLElement): HTMLElement[] {
  return [row, ...(row.parentElement?.querySelectorAll<HTMLElement>('[data-row-action]') ?? [])]
}

/** The row that a key leads to from a row, or down from the filter. */
function rowAfter({ key, target }: KeyboardEvent, container: HTMLElement): HTMLElement | undefined {
  if (!(target instanceof HTMLElement)) return undefined
  if (target.matches('input')) return key === 'ArrowDown' ? visibleRows(container)[0] : undefined
  if (!target.matches(ROWS)) return undefined
  const rows = visibleRows(container)
  const index = rows.indexOf(target)
  switch (key) {
    case 'ArrowDown':
      return rows[index + 1]
    case 'ArrowUp':
      return rows[index - 1] ?? container.querySelector<HTMLElement>('input') ?? undefined
    case 'Home':
      return rows[0]
    case 'End':
      return rows.at(-1)
    default:
      return undefined
  }
}

/** The rows of the sections that are not folded. */
function visibleRows(container: HTMLElement): HTMLElement[] {
  return [...container.querySelectorAll<HTMLElement>(ROWS)].filter((row) => !row.closest('[hidden]'))
}
