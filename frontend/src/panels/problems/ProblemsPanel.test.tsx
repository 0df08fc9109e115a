// @vitest-environment happy-dom
import { render, screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import type { Diagnostic } from '../../api/types'
import { DiagnosticList } from './ProblemsPanel'

function warning(number: number): Diagnostic {
  const range = {
    file: 'queries.piql',
    start: number,
    end: number + 1,
    start_line: number,
    start_column: 1,
    end_line: number,
    end_column: 2,
  }
  return {
    code: 'expensive-query',
    severity: 'warning',
    message: `number ${number}`,
    range,
    labels: [],
    help: [],
    fixes: [],
    query: null,
    allow: null,
    allowed: null,
  } as unknown as Diagnostic
}

it('draws the first thirty of many problems, and the others when they are asked for', () => {
  render(<DiagnosticList label="Problems" diagnostics={Array.from({ length: 33 }, (_, at) => warning(at + 1))} />)
  expect(screen.getAllByRole('listitem')).toHaveLength(30)
  screen.getByRole('button', { name: 'Show the other 3' }).click()
  expect(screen.getAllByRole('listitem')).toHaveLength(33)
  expect(document.activeElement?.textContent).toBe('number 31')
  expect(screen.queryByRole('button', { name: /Show the other/ })).toBeNull()
})
