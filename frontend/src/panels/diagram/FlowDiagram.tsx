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
import { Image, Maximize, Rows2, Rows3, Spline, ZoomIn, ZoomOut } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import { useSize } from '../../charts/useSize'
import { nextBox } from '../../logic/diagram-keys'
import { type DiagramLayout, layouter } from '../../logic/diagram-layout'
import type { PlacedBox, PlacedLink } from '../../logic/diagram-links'
import { type Diagram, type Link, namesOnly, type Step } from '../../logic/schema-diagram'
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
/** The free margin around a fitted drawing, as a share of the panel; above and below many tables, the height of controls. */
const PADDING = 0.08
const PADDING_OF_MANY = { top: '48px', bottom: '52px', left: '24px', right: '24px' } as const
/** With fewer tables than this the whole is easy to find one's way in. */
const MANY_TABLES = 8
/** With more than this their columns are not laid out unless the reader asks for it: it takes too long. */
const MOST_COLUMNS = 80
const MAP_SIZE = { width: 140, height: 96 }
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
  const [frame, size] = useSize<HTMLDivElement>()
  const { layout, isNames, setNames } = useLayout(diagram, size)
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
  const hasMany = layout.boxes.length > MANY_TABLES
  const isWholeInSight = useStore(({ transform: [x, y, scale], width, height }) => {
    const [right, bottom] = [x + layout.width * scale, y + layout.height * scale]
    return x >= 0 && y >= 0 && right <= width && bottom <= height
  })
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
    else if (event.key === '0') void fitView({ padding: paddingOf(layout) })
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
      data-names={isNames}
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
        {hasMany && !isWholeInSight && size.height > MAP_SIZE.height * 3 ? (
          <MiniMap
            className={styles['map']}
            style={MAP_SIZE}
            pannable
            nodeClassName={styles['mapNode']}
            ariaLabel={null}
            aria-hidden
          />
        ) : null}
      </ReactFlow>
      {hasMany ? <FindTable names={layout.boxes.map(({ box }) => box.name)} onFind={goTo} /> : null}
      <ZoomButtons layout={layout} name={subject === undefined ? 'schema' : `schema-${subject}`}>
        {hasMany ? (
          <IconButton
            label={isNames ? 'Show columns' : 'Show only names'}
            size="small"
            onClick={() => setNames(!isNames)}
          >
            {isNames ? <Rows3 size={14} aria-hidden /> : <Rows2 size={14} aria-hidden />}
          </IconButton>
        ) : null}
      </ZoomButtons>
    </div>
  )
}

interface FrameSize {
  width: number
  height: number
}

/**
 * The places of the tables, with their columns or only their names: with names where the whole could not be read
 * otherwise, until the reader chooses.
 */
function useLayout(diagram: Diagram, size: FrameSize) {
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

function paddingOf(layout: DiagramLayout): typeof PADDING | typeof PADDING_OF_MANY {
  return layout.boxes.length > MANY_TABLES ? PADDING_OF_MANY : PADDING
}

/** The scale at which a whole layout fits into the frame. */
function scaleOf(layout: DiagramLayout, { width, height }: FrameSize): number {
  return Math.min(width / layout.width, height / layout.height)
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

/** Buttons for the size of the drawing, further ones, and those that save it as a picture called `name`. */
function ZoomButtons({ layout, name, children }: { layout: DiagramLayout; name: string; children: ReactNode }) {
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

/** Fits the whole schema into the panel, or the query's tables if it is too large, whenever one of them changes. */
function useFitted(diagram: Diagram, layout: DiagramLayout, subject: string | undefined, size: FrameSize): void {
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
        title="Drag to a table to reference it"
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
