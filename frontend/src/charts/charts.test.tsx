// @vitest-environment happy-dom
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { logAxis } from '../logic/latency-comparison'
import type { PlanNode } from '../logic/shapes'
import { Heatmap } from './Heatmap'
import { LatencyDots } from './LatencyDots'
import { PlanTree } from './PlanTree'

afterEach(cleanup)

function node(id: string, operator: string, more: Partial<PlanNode> = {}): PlanNode {
  return { id, operator, detail: '', kind: 'remote', is_unbounded: false, children: [], ...more }
}

const plan = node('root', 'SortedIndexJoin', {
  detail: 'thoughts',
  operations: 100,
  rows: 5000,
  children: [node('0', 'Relation', { detail: 'subscriptions', is_unbounded: true })],
})

describe('the drawn plan', () => {
  const draw = (onSelect: (chosen: PlanNode) => void = () => undefined) =>
    render(
      <PlanTree
        plan={plan}
        label="Plan"
        subject="q"
        selected={undefined}
        followed={undefined}
        changed={new Set(['0'])}
        notes={new Map([['root', 'p99 12 ms']])}
        onSelect={onSelect}
      />,
    )

  it('is a tree that says of each node what it costs', () => {
    draw()
    expect(screen.getAllByRole('treeitem').map((item) => item.getAttribute('aria-label'))).toEqual([
      'SortedIndexJoin, thoughts, at most 100 operations, at most 5,000 rows, p99 12 ms',
      'Relation, subscriptions, unbounded, changed in this stage',
    ])
  })

  it('is walked and chosen from by the keyboard', () => {
    const onSelect = vi.fn()
    draw(onSelect)
    const [root, child] = screen.getAllByRole('treeitem')
    root?.focus()
    fireEvent.keyDown(root as Element, { key: 'ArrowDown' })
    expect(document.activeElement).toBe(child)
    fireEvent.keyDown(child as Element, { key: 'Enter' })
    expect(onSelect).toHaveBeenCalledWith(plan.children[0])
  })
})

describe('the heatmap', () => {
  it('moves a cursor, reads the cell out and lets it be chosen', () => {
    const onChoose = vi.fn()
    render(
      <Heatmap
        grid={{
          xs: [10, 20],
          ys: [1, 2],
          p99: [
            [1, 2],
            [3, 4],
          ],
          states: [
            ['measured', 'measured'],
            ['measured', 'extrapolated'],
          ],
          meets: [
            [true, true],
            [true, false],
          ],
        }}
        xLabel="x"
        yLabel="y"
        label="Predicted latency"
        current={{ column: 0, row: 0 }}
        chosen={null}
        describe={({ column, row }) => `cell ${column} ${row}`}
        onPoint={() => undefined}
        onChoose={onChoose}
      />,
    )
    const map = screen.getByRole('application', { name: 'Predicted latency' })
    fireEvent.focus(map)
    fireEvent.keyDown(map, { key: 'ArrowUp' })
    fireEvent.keyDown(map, { key: 'End' })
    expect(screen.getByRole('status', { name: 'Cell' }).textContent).toBe('cell 1 1')
    fireEvent.keyDown(map, { key: 'Enter' })
    expect(onChoose).toHaveBeenCalledWith({ column: 1, row: 1 })
  })
})

describe('predicted beside observed', () => {
  it('says its numbers to those who cannot see the dots', () => {
    render(<LatencyDots axis={logAxis([1, 100])} width={200} data={{ predicted: 12, observed: 15, low: 13, high: 20, slo: 500 }} />)
    expect(screen.getByRole('img').getAttribute('aria-label')).toBe('observed p99 15.0 ms, predicted p99 12.0 ms, SLO 500 ms')
  })
})
