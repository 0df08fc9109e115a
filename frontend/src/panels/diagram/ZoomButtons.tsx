import { useReactFlow } from '@xyflow/react'
import { Image, Maximize, Spline, ZoomIn, ZoomOut } from 'lucide-react'
import type { ReactNode } from 'react'
import type { DiagramLayout } from '../../logic/diagram-layout'
import { IconButton } from '../../ui/Button'
import styles from './diagram.module.css'
import { exportPng, exportSvg } from './export-diagram'
import { paddingOf } from './useFitted'

/** Buttons that zoom the diagram, those given as children, and two that save it as a picture called `name`. */
export function ZoomButtons({ layout, name, children }: { layout: DiagramLayout; name: string; children: ReactNode }) {
  const { zoomIn, zoomOut, fitView } = useReactFlow()
  return (
    <div className={styles['controls']} role="group" aria-label="Zoom and export">
      <IconButton label="Zoom out" size="small" onClick={() => void zoomOut()}>
        <ZoomOut size={14} aria-hidden />
      </IconButton>
      <IconButton label="Zoom in" size="small" onClick={() => void zoomIn()}>
        <ZoomIn size={14} aria-hidden />
      </IconButton>
      <IconButton label="Fit the schema" size="small" onClick={() => void fitView({ padding: paddingOf(layout) })}>
        <Maximize size={14} aria-hidden />
      </IconButton>
      {children}
      <IconButton label="Save as SVG" size="small" onClick={() => exportSvg(layout, name)}>
        <Spline size={14} aria-hidden />
      </IconButton>
      <IconButton label="Save as PNG" size="small" onClick={() => void exportPng(layout, name)}>
        <Image size={14} aria-hidden />
      </IconButton>
    </div>
  )
}
