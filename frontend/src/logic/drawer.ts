/**
 * The drawer of problems. While there are problems it is open, unless the reader has closed it. Without problems it is
 * closed, unless the reader has asked for it; then it stays open until he closes it, or the last of new problems is gone.
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
