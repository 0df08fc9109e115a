// @vitest-environment happy-dom
import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { useRef, useState } from 'react'
import { afterEach, expect, it } from 'vitest'
import { ROW, useRows } from './rows'

function List() {
  const container = useRef<HTMLDivElement>(null)
  const [rows, setRows] = useState(['first', 'second', 'third'])
  useRows(container)
  return (
    <div ref={container}>
      <input
        aria-label="Filter"
        onChange={(event) => setRows((all) => all.filter((row) => row === event.target.value))}
      />
      {rows.map((row) => (
        <div key={row}>
          <button type="button" {...ROW}>
            {row}
          </button>
        </div>
      ))}
    </div>
  )
}

afterEach(cleanup)

it('gives the focus of a row that goes to one that stays', async () => {
  render(<List />)
  const filter = screen.getByLabelText('Filter')
  fireEvent.keyDown(filter, { key: 'ArrowDown' })
  expect(document.activeElement?.textContent).toBe('first')
  fireEvent.change(filter, { target: { value: 'third' } })
  await waitFor(() => expect(document.activeElement?.textContent).toBe('third'))
})

it('leaves the focus where somebody has taken it meanwhile', async () => {
  render(<List />)
  const filter = screen.getByLabelText('Filter')
  fireEvent.keyDown(filter, { key: 'ArrowDown' })
  filter.focus()
  fireEvent.change(filter, { target: { value: 'third' } })
  await waitFor(() => expect(screen.queryByText('first')).toBeNull())
  expect(document.activeElement).toBe(filter)
})
