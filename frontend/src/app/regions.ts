/** The regions of the window, such as sidebar and editor, which F6 walks along in the order of the document. */

/** Moves the focus to the next visible region, or with -1 to the one before, around the ends. */
export function focusNextRegion(step: 1 | -1): void {
  const regions = [...document.querySelectorAll<HTMLElement>('[data-region]')].filter((element) =>
    element.checkVisibility({ visibilityProperty: true }),
  )
  const current = regions.findIndex((element) => element.contains(document.activeElement))
  const next = regions[(current + step + regions.length) % regions.length] ?? regions[0]
  next?.focus()
}

/** The element of a region, by its name. */
export function regionElement(label: string): HTMLElement | null {
  return document.querySelector<HTMLElement>(`[data-region="${label}"]`)
}

/** The attributes that make an element a region: its name, the mark that F6 looks for, and that it can take the focus. */
export function region(label: string): { 'data-region': string; 'aria-label': string; tabIndex: -1 } {
  return { 'data-region': label, 'aria-label': label, tabIndex: -1 }
}
