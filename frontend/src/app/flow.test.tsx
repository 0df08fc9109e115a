// @vitest-environment happy-dom
import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import type { FlowFacts } from '../logic/flow'
import { Flow } from './Flow'

const facts: FlowFacts = {
  compileError: null,
  text: { queries: 2, errors: 0 },
  predictions: null,
  live: null,
  observed: null,
}
let drawn = 0
vi.mock('./flow-facts', () => ({ useFlowFacts: () => structuredClone(facts) }))
vi.mock('lucide-react', async (original) => ({
  ...(await original<typeof import('lucide-react')>()),
  CircleCheck: () => {
    drawn += 1
    return null
  },
}))

afterEach(cleanup)

it('draws the steps that have changed, and not all of them after each key', () => {
  const { rerender } = render(<Flow />)
  expect(screen.getByTitle('Every query has a bound.')).toBeTruthy()
  expect(drawn).toBe(1)
  rerender(<Flow />)
  expect(drawn).toBe(1)
  facts.text = { queries: 0, errors: 0 }
  rerender(<Flow />)
  expect(screen.queryByTitle('Every query has a bound.')).toBeNull()
})
