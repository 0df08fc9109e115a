// @vitest-environment happy-dom
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { applyTextEdits } from '../../documents/documents'
import { Allow } from './Allow'

vi.mock('../../documents/documents', () => ({ applyTextEdits: vi.fn() }))

const range = { file: 'q.piql', start: 40, end: 40, start_line: 3, start_column: 1, end_line: 3, end_column: 1 }

afterEach(cleanup)

describe('A warning that is allowed', () => {
  it('is written above its query with the reason, on one line', () => {
    render(<Allow code="expensive-query" comment={{ range, text: '-- allow(expensive-query): \n' }} />)
    fireEvent.click(screen.getByRole('button', { name: 'Allow it here…' }))
    const allow = screen.getByRole<HTMLButtonElement>('button', { name: 'Allow' })
    expect(allow.disabled).toBe(true)
    fireEvent.change(screen.getByRole('textbox'), { target: { value: '  the report\tof the night ' } })
    expect(allow.disabled).toBe(false)
    fireEvent.click(allow)
    expect(applyTextEdits).toHaveBeenCalledWith([
      { range, text: '-- allow(expensive-query): the report of the night\n' },
    ])
  })

  it('is not written when one thinks better of it', () => {
    vi.mocked(applyTextEdits).mockClear()
    render(<Allow code="expensive-query" comment={{ range, text: '-- allow(expensive-query): \n' }} />)
    fireEvent.click(screen.getByRole('button', { name: 'Allow it here…' }))
    fireEvent.click(screen.getByRole('button', { name: 'Cancel' }))
    expect(screen.queryByRole('textbox')).toBeNull()
    expect(applyTextEdits).not.toHaveBeenCalled()
  })
})
