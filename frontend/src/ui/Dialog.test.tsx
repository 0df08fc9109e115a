// @vitest-environment happy-dom
import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, describe, expect, it } from 'vitest'
import { Dialog } from './Dialog'

afterEach(cleanup)

describe('a dialog', () => {
  it.each([
    ['text', <input key="1" aria-label="first" defaultValue="queries/" />],
    ['a file', <input key="2" aria-label="first" type="file" />],
    ['a number', <input key="3" aria-label="first" type="number" />],
    ['a long text', <textarea key="4" aria-label="first" />],
  ])('opens with the focus on its first field, also one of %s', (_, field) => {
    render(
      <Dialog title="Import" onClose={() => {}}>
        {field}
        <button type="button">Go on</button>
      </Dialog>,
    )
    expect(document.activeElement).toBe(screen.getByLabelText('first'))
  })

  it('has the caret behind the text that is there', () => {
    render(
      <Dialog title="New file" onClose={() => {}}>
        <input aria-label="first" defaultValue="queries/" />
      </Dialog>,
    )
    expect(screen.getByLabelText<HTMLInputElement>('first').selectionStart).toBe(8)
  })
})
