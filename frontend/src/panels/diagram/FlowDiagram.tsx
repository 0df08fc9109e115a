import {
  type Edge,
  EdgeLabelRenderer,
  type EdgeProps,
  Handle,
  MiniMap,
  type Node,
  type NodeProps,
  Position,
  ReactFlow,
  ReactFlowProvider,
  useConnection,
  useNodesInitialized,
  useReactFlow,
  useStore,
} from '@xyflow/react'
import '@xyflow/react/dist/base.css'
import { Image, Maximize, Spline, ZoomIn, ZoomOut } from 'lucide-react'
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react'
import { useSize } from '../../charts/useSize'
import { nextBox } from '../../logic/diagram-keys'
import { type DiagramLayout, layouter } from '../../logic/diagram-layout'
import type { PlacedBox, PlacedLink } from '../../logic/diagram-links'
import type { Diagram, Link, Step } from '../../logic/schema-diagram'
import type { SchemaForm } from '../../logic/schema-form'
import type { TextRange } from '../../logic/shapes'
import { IconButton } from '../../ui/Button'
import styles from './diagram.module.css'
import { exportPng, exportSvg } from './export-diagram'
import { FindTable } from './FindTable'
import { StepNumber } from './Steps'
import { TableBox } from './TableBox'

interface FlowDiagramProps {
  diagram: Diagram
  /** The query that is laid over the schema. */
  subject: string | undefined
  onOpen: (range: TextRange, isFocused: boolean) => void
  /** Asks for a change of the schema, of which this is known already. */
  onChange: (known: Partial<SchemaForm>) => void
}

type TableNode = Node<BoxData, 'table'>
type LinkEdge = Edge<LinkData, 'link'>

interface LinkData extends Record<string, unknown> {
  placed: PlacedLink
  isFaded: boolean
  onChange: FlowDiagramProps['onChange']
}

interface BoxData extends Record<string, unknown> {
  placed: PlacedBox
  isFaded: boolean
  isFocusable: boolean
  onOpen: FlowDiagramProps['onOpen']
}

/** Below this scale columns cannot be read; the names of the tables then fill their boxes. */
const READABLE_SCALE = 0.5
/** If the whole schema only fits at a smaller scale than this, only the query's tables are fitted into the panel. */
const MIN_WHOLE_SCALE = 0.6
/** The free margin around a fitted drawing, as a share of the panel. */
const PADDING = 0.08
/** With fewer tables than this the whole is easy to find one's way in. */
const MANY_TABLES = 8
/** If the panel is so many times wider than high, referencing tables are to the right, not below. */
const WIDE = 1.5

/**
 * Draws a laid-out diagram by React Flow, which moves and zooms it. The tables are one stop of Tab; arrow keys go from
 * table to table, Enter and a click show the text, E changes the table, and a line pulled from its side to another table
 * becomes a reference.
 */
export function FlowDiagram(props: FlowDiagramProps) {
  return (
    <ReactFlowProvider>
      <Flow {...props} />
    </ReactFlowProvider>
  )
}

function Flow({ diagram, subject, onOpen, onChange }: FlowDiagramProps) {
  const [layOut] = useState(layouter)
  const [frame, size] = useSize<HTMLDivElement>()
  const direction = size.width > size.height * WIDE ? 'right' : 'down'
  const layout = useMemo(() => layOut(diagram, direction), [layOut, diagram, direction])
  const [focused, setFocused] = useState<string>()
  const focusable = layout.boxes.find(({ box }) => box.name === focused) ?? layout.boxes[0]
  const hasSteps = diagram.steps.length > 0
  const nodes = useMemo(
    () =>
      layout.boxes.map((placed) =>
        tableNode(placed, hasSteps && placed.box.steps.length === 0, placed === focusable, onOpen),
      ),
    [layout, hasSteps, focusable, onOpen],
  )
  const edges = useMemo(
    () => layout.links.map((placed) => linkEdge(placed, hasSteps && placed.link.steps.length === 0, onChange)),
    [layout, hasSteps, onChange],
  )
  const isFar = useStore((state) => state.transform[2] < READABLE_SCALE)
  const { zoomIn, zoomOut, fitView } = useReactFlow()
  useFitted(diagram, layout, subject, size)

  const goTo = (name: string) => {
    setFocused(name)
    frame.current?.querySelector<HTMLElement>(`[data-table="${CSS.escape(name)}"]`)?.focus({ preventScroll: true })
    void fitView({ nodes: [{ id: name }], padding: 1, maxZoom: 1, minZoom: READABLE_SCALE })
  }

  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const name = event.target instanceof Element ? event.target.getAttribute('data-table') : null
    if (event.key === '+' || event.key === '=') void zoomIn()
    else if (event.key === '-' || event.key === '−') void zoomOut()
    else if (event.key === '0') void fitView({ padding: PADDING })
    else if (event.key.toLowerCase() === 'e' && name !== null) onChange({ table: name })
    else {
      const next = name === null ? undefined : nextBox(layout.boxes, name, event.key)
      if (next === undefined) return
      goTo(next)
    }
    event.preventDefault()
  }
  return (
    // The keys of the tables in it bubble up to this element.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <div
      ref={frame}
      className={styles['frame']}
      data-far={isFar}
      role="group"
      aria-label="Diagram of the schema"
      onKeyDown={onKeyDown}
    >
      <ReactFlow
        nodes={nodes}
        edges={edges}
        nodeTypes={NODE_TYPES}
        edgeTypes={EDGE_TYPES}
        minZoom={0.08}
        maxZoom={2}
        nodesDraggable={false}
        connectionRadius={0}
        onConnect={({ source, target }) => onChange({ kind: 'add-reference', table: source, referenced: target })}
        nodesFocusable={false}
        edgesFocusable={false}
        elementsSelectable={false}
        disableKeyboardA11y
        panOnScroll
        zoomOnScroll={false}
        zoomOnDoubleClick={false}
        deleteKeyCode={null}
        selectionKeyCode={null}
        multiSelectionKeyCode={null}
      >
        {layout.boxes.length > MANY_TABLES ? (
          <MiniMap className={styles['map']} pannable nodeClassName={styles['mapNode']} ariaLabel={null} aria-hidden />
        ) : null}
      </ReactFlow>
      {layout.boxes.length > MANY_TABLES ? (
        <FindTable names={layout.boxes.map(({ box }) => box.name)} onFind={goTo} />
      ) : null}
      <ZoomButtons layout={layout} name={subject === undefined ? 'schema' : `schema-${subject}`} />
    </div>
  )
}

function tableNode(
  placed: PlacedBox,
  isFaded: boolean,
  isFocusable: boolean,
  onOpen: FlowDiagramProps['onOpen'],
): TableNode {
  const { box, x, y, width, height } = placed
  return {
    id: box.name,
    type: 'table',
    position: { x, y },
    width,
    height,
    measured: { width, height },
    data: { placed, isFaded, isFocusable, onOpen },
  }
}

function linkEdge(placed: PlacedLink, isFaded: boolean, onChange: FlowDiagramProps['onChange']): LinkEdge {
  const { id, from, to } = placed.link
  return { id, source: from, target: to, type: 'link', data: { placed, isFaded, onChange } }
}

/** Buttons for the size of the drawing, and those that save it as a picture called `name`. */
function ZoomButtons({ layout, name }: { layout: DiagramLayout; name: string }) {
  const { zoomIn, zoomOut, fitView } = useReactFlow()
  return (
    <div className={styles['controls']} role="group" aria-label="Zoom and export">
      <IconButton label="Zoom out" size="small" onClick={() => void zoomOut()}>
        <ZoomOut size={14} aria-hidden />
      </IconButton>
      <IconButton label="Zoom in" size="small" onClick={() => void zoomIn()}>
        <ZoomIn size={14} aria-hidden />
      </IconButton>
      <IconButton label="Fit the schema" size="small" onClick={() => void fitView({ padding: PADDING })}>
        <Maximize size={14} aria-hidden />
      </IconButton>
      <IconButton label="Save as SVG" size="small" onClick={() => exportSvg(layout, name)}>
        <Spline size={14} aria-hidden />
      </IconButton>
      <IconButton label="Save as PNG" size="small" onClick={() => void exportPng(layout, name)}>
        <Image size={14} aria-hidden />
      </IconButton>
    </div>
  )
}

/** Fits the whole schema into the panel, or the query's tables if it is too large, whenever one of them changes. */
function useFitted(
  diagram: Diagram,
  layout: DiagramLayout,
  subject: string | undefined,
  { width, height }: { width: number; height: number },
): void {
  const { fitView } = useReactFlow()
  const isReady = useNodesInitialized()
  const lastFit = useRef('')
  useEffect(() => {
    if (!isReady || width === 0 || height === 0) return
    const queryTables = [...new Set(diagram.steps.map(({ table }) => table))]
    const fitsWhole = Math.min(width / layout.width, height / layout.height) >= MIN_WHOLE_SCALE
    const shown = fitsWhole ? [] : queryTables
    const fit = JSON.stringify([shown, layout.width, layout.height, width, height, subject])
    if (lastFit.current === fit) return
    lastFit.current = fit
    void fitView({ padding: PADDING, maxZoom: 1, nodes: shown.length > 0 ? shown.map((id) => ({ id })) : undefined })
  }, [isReady, diagram, layout, subject, width, height, fitView])
}

function TableNodeView({ data }: NodeProps<TableNode>) {
  const isPulled = useConnection((connection) => connection.inProgress)
  return (
    <>
      <Handle
        type="target"
        position={Position.Top}
        className={styles[isPulled ? 'drop' : 'handle']}
        isConnectableStart={false}
      />
      <TableBox placed={data.placed} isFaded={data.isFaded} isFocusable={data.isFocusable} onOpen={data.onOpen} />
      <Handle
        type="source"
        position={Position.Right}
        className={styles['pull']}
        isConnectableEnd={false}
        title="Pull to a table to reference it"
      />
    </>
  )
}

/** A link with its arrow, and the label on it, which is HTML above the drawing. */
function LinkView({ data }: EdgeProps<LinkEdge>) {
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

const NODE_TYPES = { table: TableNodeView }
const EDGE_TYPES = { link: LinkView }
