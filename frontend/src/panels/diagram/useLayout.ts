/** Where the tables of a diagram are, and whether they show their columns or only their names. */
import { useMemo, useState } from 'react'
import { type DiagramLayout, layouter } from '../../logic/diagram-layout'
import { type Diagram, namesOnly } from '../../logic/schema-diagram'

export interface FrameSize {
  width: number
  height: number
}

/** Below this scale columns cannot be read, and the names of the tables fill their boxes. */
export const READABLE_SCALE = 0.5
/** With more tables than this, a diagram also offers a map, a search and a switch to names only. */
export const MANY_TABLES = 8
/** With more tables than this, columns are laid out only when the reader asks for them: it takes too long. */
const MOST_COLUMNS = 80
/** If the panel is this many times wider than high, referencing tables are to the right, not below. */
const WIDE = 1.5

/**
 * Lays out the tables with their columns or only with their names. Until the reader chooses, it takes names where
 * columns could not be read in a diagram that fits into the frame.
 */
export function useLayout(diagram: Diagram, size: FrameSize) {
  const [layOut] = useState(layouter)
  const [layOutNames] = useState(() => ({ right: layouter(), down: layouter() }))
  const [chosen, setNames] = useState<boolean | null>(null)
  const direction = size.width > size.height * WIDE ? 'right' : 'down'
  const names = useMemo(() => namesOnly(diagram), [diagram])
  const isLarge = diagram.boxes.length > MANY_TABLES
  const isHuge = diagram.boxes.length > MOST_COLUMNS
  const withColumns = useMemo(
    () => (chosen === true || (chosen === null && isHuge) ? null : layOut(diagram, direction)),
    [chosen, isHuge, layOut, diagram, direction],
  )
  const isNames =
    withColumns === null ||
    (chosen === null && isLarge && size.width > 0 && scaleOf(withColumns, size) < READABLE_SCALE)
  const layout = useMemo(() => {
    if (!isNames && withColumns) return withColumns
    const [right, down] = [layOutNames.right(names, 'right'), layOutNames.down(names, 'down')]
    return scaleOf(right, size) >= scaleOf(down, size) ? right : down
  }, [isNames, withColumns, layOutNames, names, size])
  return { layout, isNames, setNames }
}

/** The scale at which a whole layout fits into the frame. */
export function scaleOf(layout: DiagramLayout, { width, height }: FrameSize): number {
  return Math.min(width / layout.width, height / layout.height)
}
