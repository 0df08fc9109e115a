/**
 * The drawer of problems: open while there are any, unless the reader has closed it, which is remembered. Asked for where
 * there are none, it is open until it is closed, or until problems have come and gone.
 */
export interface Drawer {
  isClosedByHand: boolean
  isAskedFor: boolean
}

export function isDrawerOpen(drawer: Drawer, hasProblems: boolean): boolean {
  return hasProblems ? !drawer.isClosedByHand : drawer.isAskedFor
}

export const OPENED: Drawer = { isClosedByHand: false, isAskedFor: true }

/** Closing an empty drawer says nothing about whether problems shall open it. */
export function closed(drawer: Drawer, hasProblems: boolean): Drawer {
  return { isClosedByHand: drawer.isClosedByHand || hasProblems, isAskedFor: false }
}

/** After the last problem is gone. */
export function emptied(drawer: Drawer): Drawer {
  return { ...drawer, isAskedFor: false }
}
