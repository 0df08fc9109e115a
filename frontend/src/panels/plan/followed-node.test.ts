// @vitest-environment happy-dom
import { act, renderHook } from '@testing-library/react'
import { expect, it } from 'vitest'
import { moveCaret } from '../../app/editor-bridge'
import type { PlanNode } from '../../logic/shapes'
import { useFollowedNode } from './followed-node'

const QUERY = { file: 'q.piql', start_line: 1, start_column: 1, end_line: 3, end_column: 40 }
const plan: PlanNode = {
  id: '0',
  operator: 'Stop',
  detail: '',
  kind: 'stop',
  is_unbounded: false,
  range: QUERY,
  children: [],
}

const at = (line: number, column: number) => act(() => moveCaret({ file: 'q.piql', line, column }, true))

it('follows the caret into a node, and is drawn again only for another one', () => {
  let drawn = 0
  const { result } = renderHook(() => {
    drawn += 1
    return useFollowedNode(plan)
  })
  at(2, 5)
  expect(result.current).toBe('0')
  drawn = 0
  at(2, 6)
  at(3, 1)
  expect(drawn).toBe(0)
  at(9, 1)
  expect(result.current).toBeUndefined()
})
