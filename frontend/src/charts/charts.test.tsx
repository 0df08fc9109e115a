// @vitest-environment happy-dom
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { logAxis } from '../logic/latency-comparison'
import type { PlanNode } from '../logic/shapes'
import { Curve } from './Curve'
import { fitted } from './fitted'
import { Heatmap } from './Heatmap'
import { LatencyDots } from './LatencyDots'
import { LatencySeries } from './LatencySeries'
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
        metric="operations"
        latencies={new Map([['root', 12]])}
        onSelect={onSelect}
      />,
    )

  it('is a tree that says of each node what it costs', () => {
    draw()
    expect(screen.getAllByRole('treeitem').map((item) => item.getAttribute('aria-label'))).toEqual([
      'SortedIndexJoin, thoughts, ≤ 100 ops, p99 ≈ 12.0 ms, ≤ 5,000 rows',
      'Relation, changed here, subscriptions, unbounded',
    ])
  })

  it('is named with the words that are drawn, each apart, and with what there was no room for', () => {
    const detail = Array.from({ length: 40 }, (_, index) => `column${index} = [${index + 1}: parameter${index}]`).join(
      ' AND ',
    )
    render(
      <PlanTree
        plan={node('root', 'Selection', { detail, operations: 3 })}
        label="Plan"
        subject="q"
        selected={undefined}
        followed={undefined}
        changed={new Set(['root'])}
        metric="operations"
        latencies={new Map()}
        onSelect={() => undefined}
      />,
    )
    const item = screen.getByRole('treeitem')
    const name = item.getAttribute('aria-label') ?? ''
    const words = (text: string) =>
      text
        .replaceAll(/[^\w≤ ]/g, '')
        .trim()
        .split(/\s+/)
    const drawn = item.querySelector('g')?.textContent ?? ''
    expect(words(name).slice(0, words(drawn).length)).toEqual(words(drawn))
    expect(name).toContain(detail)
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
        region={null}
        onRegion={() => undefined}
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

describe('the label of an axis', () => {
  it('is cut where there is no room for it', () => {
    expect(fitted('PAGINATE', 200)).toBe('PAGINATE')
    expect(fitted('LIMIT [howManyThoughtsAreToBeShown] MAX', 100)).toBe('LIMIT [howMany…')
  })
})

describe('the curve', () => {
  const draw = (onChoose: (index: number) => void, sloMs = 5) =>
    render(
      <Curve
        points={[
          { value: 10, latencyMs: 2, upperMs: 3, state: 'measured', isKept: true },
          { value: 20, latencyMs: 4, upperMs: 6, state: 'interpolated', isKept: true },
          { value: 30, latencyMs: 8, upperMs: 12, state: 'extrapolated', isKept: false },
          { value: 90, latencyMs: null, upperMs: null, state: 'refused', isKept: false },
        ]}
        sloMs={sloMs}
        xLabel="x"
        label="Predicted latency"
        current={1}
        chosen={null}
        describe={(index) => `point ${index}`}
        onPoint={() => undefined}
        onChoose={onChoose}
      />,
    )

  it('is walked from the limit in the text, reads each point out and lets it be chosen', () => {
    const onChoose = vi.fn()
    draw(onChoose)
    const drawn = screen.getByRole('application', { name: 'Predicted latency' })
    fireEvent.focus(drawn)
    expect(screen.getByRole('status', { name: 'Cell' }).textContent).toBe('point 1')
    fireEvent.keyDown(drawn, { key: 'ArrowRight' })
    fireEvent.keyDown(drawn, { key: 'Enter' })
    expect(onChoose).toHaveBeenCalledWith(2)
    fireEvent.keyDown(drawn, { key: 'End' })
    expect(screen.getByRole('status', { name: 'Cell' }).textContent).toBe('point 3')
  })

  it('tells measured, interpolated, extrapolated and unknown points apart without colour', () => {
    const { container } = draw(() => undefined)
    const marks = [...container.querySelectorAll('[data-state]')].map((mark) =>
      mark.firstElementChild?.outerHTML.replaceAll(/ (c?[xy])="[^"]*"/g, ''),
    )
    expect(new Set(marks).size).toBe(4)
    expect(container.querySelector('[data-state="extrapolated"]')?.textContent).toContain('?')
    expect(container.textContent).toContain('SLO 5.0 ms')
  })

  it('draws no SLO that is far from all of it', () => {
    expect(draw(() => undefined, 60_000).container.textContent).not.toContain('SLO')
  })
})

describe('predicted beside observed', () => {
  it('says its numbers to those who cannot see the dots', () => {
    render(
      <LatencyDots
        axis={logAxis([1, 100])}
        width={200}
        data={{ predicted: 12, observed: 15, low: 13, high: 20, slo: 500 }}
      />,
    )
    expect(screen.getByRole('img').getAttribute('aria-label')).toBe(
      'observed p99 15.0 ms, predicted p99 ≈ 12.0 ms, SLO 500 ms',
    )
  })

  it('marks the deployments between executions, and those with another plan apart', () => {
    const point = (at: string) => ({ at, p50_ms: 1, p99_ms: 2, p999_ms: 2, count: 5 })
    const markers = [
      { version: 1, at: '2026-06-01T11:00:00Z', isNewPlan: true },
      { version: 2, at: '2026-06-01T12:01:00Z', isNewPlan: false },
      { version: 3, at: '2026-06-01T12:03:00Z', isNewPlan: true },
    ]
    const { container } = render(
      <LatencySeries
        points={[point('2026-06-01T12:00:00Z'), point('2026-06-01T12:02:00Z')]}
        predictedMs={null}
        sloMs={null}
        markers={markers}
        label="series"
      />,
    )
    const titles = [...container.querySelectorAll('[data-new-plan] title')].map(({ textContent }) => textContent)
    expect(titles).toEqual([
      expect.stringMatching(/^Version 2, .*: the same plan$/),
      expect.stringMatching(/^Version 3, .*: another plan$/),
    ])
    expect(screen.getByText('v3, new plan')).toBeTruthy()
  })
})
