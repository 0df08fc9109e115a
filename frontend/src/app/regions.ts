/** F6 walks along the regions of the window, in the order they are drawn. */

export function focusNextRegion(step: 1 | -1): void {
  const regions = [...document.querySelectorAll<HTMLElement>('[data-region]')].filter(
    (element) => element.offsetParent !== null,
  )
  const at = regions.findIndex((element) => element.contains(document.activeElement))
  const next = regions[(at + step + regions.length) % regions.length] ?? regions[0]
  next?.focus()
}

/** What a region puts on its element: a name, a place in the F6 round, the focus when it is its turn. */
export function region(label: string): { 'data-region': string; 'aria-label': string; tabIndex: -1 } {
  return { 'data-region': label, 'aria-label': label, tabIndex: -1 }
}
