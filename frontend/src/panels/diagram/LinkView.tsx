import { type Edge, EdgeLabelRenderer, type EdgeProps } from '@xyflow/react'
import type { PlacedLink } from '../../logic/diagram-links'
import type { Link, Step } from '../../logic/schema-diagram'
import type { SchemaForm } from '../../logic/schema-form'
import styles from './diagram.module.css'
import { StepNumber } from './Steps'

export type LinkEdge = Edge<LinkData, 'link'>

interface LinkData extends Record<string, unknown> {
  placed: PlacedLink
  isFaded: boolean
  onChange: (known: Partial<SchemaForm>) => void
}

/** A link as an edge of React Flow. */
export function linkEdge(placed: PlacedLink, isFaded: boolean, onChange: LinkData['onChange']): LinkEdge {
  const { id, from, to } = placed.link
  return { id, source: from, target: to, type: 'link', data: { placed, isFaded, onChange } }
}

/** A link with its arrow, and the label on it, which is HTML above the drawing. */
export function LinkView({ data }: EdgeProps<LinkEdge>) {
  if (!data) return null
  const { placed, isFaded, onChange } = data
  const { link, path, labelAt, end, beforeEnd } = placed
  const angle = (Math.atan2(end.y - beforeEnd.y, end.x - beforeEnd.x) * 180) / Math.PI
  return (
    <>
      <g
        className={styles['link']}
        data-kind={link.kind}
        data-faded={isFaded}
        data-read={link.steps.length > 0}
        data-unbounded={link.isUnbounded}
      >
        <title>{link.title}</title>
        <path d={path} />
        <path
          className={styles['arrow']}
          d="M-9,-4.5L0,0L-9,4.5"
          transform={`translate(${end.x},${end.y}) rotate(${angle})`}
        />
      </g>
      <EdgeLabelRenderer>
        <div
          className={styles['label']}
          data-faded={isFaded}
          data-unbounded={link.isUnbounded}
          title={link.title}
          style={{ transform: `translate(-50%, -50%) translate(${labelAt.x}px, ${labelAt.y}px)` }}
        >
          {link.label ? (
            // The keyboard has E on the table.
            <button type="button" tabIndex={-1} onClick={() => onChange(limitOf(link))}>
              {link.label}
            </button>
          ) : null}
          {link.steps.map((step) => (
            <LabelStep key={step.number} step={step} />
          ))}
        </div>
      </EdgeLabelRenderer>
    </>
  )
}

/** The change of the limit of a reference. */
function limitOf({ from, columns, most }: Link): Partial<SchemaForm> {
  return { kind: 'set-limit', table: from, columns: columns.join(', '), limit: most === null ? '' : String(most) }
}

function LabelStep({ step }: { step: Step }) {
  return (
    <span className={styles['labelStep']} data-unbounded={step.isUnbounded}>
      <StepNumber step={step} />
      {step.text}
    </span>
  )
}
