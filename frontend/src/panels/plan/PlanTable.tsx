import { levels } from '../../logic/plan-tree'
import type { PlanNode } from '../../logic/shapes'
import { Badge } from '../../ui/Badge'
import { Cell, numeric, Table } from '../../ui/Table'
import { formatCount, plural } from '../../units'
import styles from './plan.module.css'

interface PlanTableProps {
  plan: PlanNode
  selected: string | undefined
  /** How many open threads of comments there are about nodes, by their ids. */
  threads?: ReadonlyMap<string, number>
  onSelect: (node: PlanNode) => void
}

/** A plan as a table: each operator is indented under the one that reads its rows. */
export function PlanTable({ plan, selected, threads, onSelect }: PlanTableProps) {
  return (
    <Table label="Plan" columns={['Operator', 'Detail', numeric('Operations'), numeric('Rows'), 'Formula']}>
      {levels(plan).map(({ node, level }) => (
        <tr key={node.id} className={styles['row']} data-selected={node.id === selected}>
          <Cell style={{ paddingLeft: 10 + level * 14 }}>
            <button type="button" className={styles['rowButton']} onClick={() => onSelect(node)}>
              {node.operator}
            </button>{' '}
            {node.is_unbounded ? <Badge tone="danger">∞ unbounded</Badge> : null}
            {threads?.has(node.id) ? <Badge tone="info">{plural(threads.get(node.id) ?? 0, 'thread')}</Badge> : null}
          </Cell>
          <Cell>
            <code>{node.detail}</code>
          </Cell>
          <Cell isNumeric>{node.operations ? `≤ ${formatCount(node.operations)}` : '–'}</Cell>
          <Cell isNumeric>{typeof node.rows === 'number' ? `≤ ${formatCount(node.rows)}` : '–'}</Cell>
          <Cell>
            {node.operations && node.formula ? <code className={styles['formula']}>{node.formula}</code> : null}
          </Cell>
        </tr>
      ))}
    </Table>
  )
}
