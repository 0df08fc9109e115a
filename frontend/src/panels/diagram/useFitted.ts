/** Fits a diagram into its panel. */
import { useNodesInitialized, useReactFlow } from '@xyflow/react'
import { useEffect, useRef } from 'react'
import type { DiagramLayout } from '../../logic/diagram-layout'
import type { Diagram } from '../../logic/schema-diagram'
import { type FrameSize, MANY_TABLES, scaleOf } from './useLayout'

/** If the whole schema only fits at a smaller scale than this, only the query's tables are fitted into the panel. */
const MIN_WHOLE_SCALE = 0.6
/** The free margin around a fitted drawing, as a share of the panel; above and below many tables, the height of controls. */
const PADDING = 0.08
const PADDING_OF_MANY = { top: '48px', bottom: '52px', left: '24px', right: '24px' } as const

/** The margin to leave free around a diagram that is fitted into the panel. */
export function paddingOf(layout: DiagramLayout): typeof PADDING | typeof PADDING_OF_MANY {
  return layout.boxes.length > MANY_TABLES ? PADDING_OF_MANY : PADDING
}

/** Fits the whole schema into the panel, or the query's tables if it is too large, whenever one of them changes. */
export function useFitted(diagram: Diagram, layout: DiagramLayout, subject: string | undefined, size: FrameSize): void {
  const { fitView } = useReactFlow()
  const isReady = useNodesInitialized()
  const lastFit = useRef('')
  useEffect(() => {
    const { width, height } = size
    if (!isReady || width === 0 || height === 0) return
    const queryTables = [...new Set(diagram.steps.map(({ table }) => table))]
    const fitsWhole = scaleOf(layout, size) >= MIN_WHOLE_SCALE
    const shown = fitsWhole ? [] : queryTables
    const fit = JSON.stringify([shown, layout.width, layout.height, width, height, subject])
    if (lastFit.current === fit) return
    lastFit.current = fit
    const nodes = shown.length > 0 ? shown.map((id) => ({ id })) : undefined
    void fitView({ padding: nodes ? PADDING : paddingOf(layout), maxZoom: 1, nodes })
  }, [isReady, diagram, layout, subject, size, fitView])
}
