// @vitest-environment happy-dom
import { cleanup, createEvent, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { Form } from './Form'

afterEach(cleanup)

function show() {
  const onSubmit = vi.fn()
  render(
    <Form aria-label="write" onSubmit={onSubmit}>
      <input aria-label="value" />
      <textarea aria-label="text" />
      <button type="submit">Run</button>
    </Form>,
  )
  return onSubmit
}

/** Whether the browser would go on with what it does for a held Enter. */
function isHeldEnterLetThrough(element: HTMLElement): boolean {
  const event = createEvent.keyDown(element, { key: 'Enter', repeat: true })
  fireEvent(element, event)
  return !event.defaultPrevented
}

describe('a form', () => {
  it('is submitted once by a double click', () => {
    const onSubmit = show()
    fireEvent.click(screen.getByRole('button'), { detail: 1 })
    fireEvent.click(screen.getByRole('button'), { detail: 2 })
    expect(onSubmit).toHaveBeenCalledTimes(1)
  })

  it('is submitted by each click of its own, and by Enter, whose click counts none', () => {
    const onSubmit = show()
    fireEvent.click(screen.getByRole('button'), { detail: 1 })
    fireEvent.click(screen.getByRole('button'), { detail: 1 })
    fireEvent.click(screen.getByRole('button'), { detail: 0 })
    expect(onSubmit).toHaveBeenCalledTimes(3)
  })

  it('is not submitted again by a key that is held down, which still writes lines', () => {
    show()
    expect(isHeldEnterLetThrough(screen.getByLabelText('value'))).toBe(false)
    expect(isHeldEnterLetThrough(screen.getByRole('button'))).toBe(false)
    expect(isHeldEnterLetThrough(screen.getByLabelText('text'))).toBe(true)
  })
})
