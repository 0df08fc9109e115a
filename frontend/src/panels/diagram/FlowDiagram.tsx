import {
  Handle,
  MiniMap,
  type Node,
  type NodeProps,
  Position,
  ReactFlow,
  ReactFlowProvider,
  useConnection,
  useReactFlow,
  useStore,
} from '@xyflow/react'
import '@xyflow/react/dist/base.css'
import { Rows2, Rows3 } from 'lucide-react'
import { type KeyboardEvent, useMemo, useState } from 'react'
import { useSize } from '../../charts/useSize'
import { nextBox } from '../../logic/diagram-keys'
import type { PlacedBox } from '../../logic/diagram-links'
import type { Box, Diagram } from '../../logic/schema-diagram'
import type { SchemaForm } from '../../logic/schema-form'
import type { TextRange } from '../../logic/shapes'
import { IconButton } from '../../ui/Button'
import styles from './diagram.module.css'
import { FindTable } from './FindTable'
import { LinkView, linkEdge } from './LinkView'
import { TableBox } from './TableBox'
import { paddingOf, useFitted } from './useFitted'
import { MANY_TABLES, READABLE_SCALE, useLayout } from './useLayout'
import { ZoomButtons } from './ZoomButtons'

interface FlowDiagramProps {
  diagram: Diagram
  /** The query that is laid over the schema. */
  subject: string | undefined
  onOpen: (range: TextRange, isFocused: boolean) => void
  /** Asks for a change of the schema, of which this is known already. */
  onChange: (known: Partial<SchemaForm>) => void
}

type TableNode = Node<BoxData, 'table'>
interface BoxData extends Record<string, unknown> {
  placed: PlacedBox
  isFaded: boolean
  isFocusable: boolean
  onOpen: FlowDiagramProps['onOpen']
  onChange: FlowDiagramProps['onChange']
}

const MAP_SIZE = { width: 140, height: 96 }
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
        tableNode(placed, hasSteps && placed.box.steps.length === 0, placed === focusable, onOpen, onChange),
      ),
    [layout, hasSteps, focusable, onOpen, onChange],
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
    else if (event.key.toLowerCase() === 'e' && name !== null) {
      const placed = layout.boxes.find(({ box }) => box.name === name)
      onChange(placed ? changeOf(placed.box) : { table: name })
    } else {
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

/** The change of a table that is asked for without saying which: of a view only its stripes can be. */
function changeOf({ name, isView }: Box): Partial<SchemaForm> {
  return isView ? { kind: 'set-stripes', table: name } : { table: name }
}

function tableNode(
  placed: PlacedBox,
  isFaded: boolean,
  isFocusable: boolean,
  onOpen: FlowDiagramProps['onOpen'],
  onChange: FlowDiagramProps['onChange'],
): TableNode {
  const { box, x, y, width, height } = placed
  return {
    id: box.name,
    type: 'table',
    position: { x, y },
    width,
    height,
    measured: { width, height },
    data: { placed, isFaded, isFocusable, onOpen, onChange },
  }
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
      <TableBox
        placed={data.placed}
        isFaded={data.isFaded}
        isFocusable={data.isFocusable}
        onOpen={data.onOpen}
        onStripes={() => data.onChange(changeOf(data.placed.box))}
      />
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

const NODE_TYPES = { table: TableNodeView }
const EDGE_TYPES = { link: LinkView }
