/** The id of the field that filters the lists of the sidebar. */
export const FILTER_ID = 'sidebar-filter'

/** Moves the focus into that field and selects its text; a key of the whole window does so. */
export function focusFilter(): void {
  const input = document.getElementById(FILTER_ID)
  if (input instanceof HTMLInputElement) input.select()
  input?.focus()
}
