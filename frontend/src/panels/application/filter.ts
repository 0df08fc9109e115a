/** The filter of the sidebar, for the key that leads to it. */
export const FILTER = 'sidebar-filter'

/** Moves the focus into the filter, with what it holds selected. */
export function focusFilter(): void {
  const input = document.getElementById(FILTER)
  if (input instanceof HTMLInputElement) input.select()
  input?.focus()
}
