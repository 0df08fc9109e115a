// @vitest-environment happy-dom
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { type ReactNode, useState } from 'react'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Dialog } from './Dialog'
import { keepFocus } from './focus-keeper'

let stop: () => void
beforeEach(() => {
  stop = keepFocus()
})
afterEach(() => {
  cleanup()
  stop()
})

/** A button that opens a dialog, which removes itself at its own button and does something then. */
function Asked({ name, onAgree }: { name: string; onAgree?: () => void }) {
  const [isOpen, setOpen] = useState(false)
  const agree = () => {
    setOpen(false)
    onAgree?.()
  }
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        {name}
      </button>
      {isOpen ? (
        <Dialog title={`${name}?`} onClose={() => setOpen(false)}>
          <button type="button" onClick={agree}>
            Agree
          </button>
        </Dialog>
      ) : null}
    </>
  )
}

function Files({ children }: { children?: ReactNode }) {
  const [files, setFiles] = useState(['a', 'b', 'c'])
  return (
    <section aria-label="Files" tabIndex={-1}>
      <ul>
        {files.map((file) => (
          <li key={file}>
            <a href={file}>{file}</a>
            <Asked name={`Delete ${file}`} onAgree={() => setFiles(files.filter((name) => name !== file))} />
          </li>
        ))}
      </ul>
      {children}
    </section>
  )
}

/** Presses a button as a browser does, which gives it the focus first. */
async function press(name: string): Promise<void> {
  const button = screen.getByRole('button', { name })
  button.focus()
  fireEvent.click(button)
  await frames(2)
}

async function frames(count: number): Promise<void> {
  for (let frame = 0; frame < count; frame += 1) await new Promise((resolve) => requestAnimationFrame(resolve))
}

test('a dialog that removes itself gives the focus back to what opened it', async () => {
  render(
    <div role="tabpanel" tabIndex={-1}>
      <Asked name="Rename" />
    </div>,
  )
  await press('Rename')
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Agree' }))
  await press('Agree')
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Rename' }))
})

test('after a row was deleted the focus is in the next one, after the last one in the one before', async () => {
  render(<Files />)
  await press('Delete b')
  await press('Agree')
  expect(document.activeElement).toBe(screen.getByText('c'))
  await press('Delete c')
  await press('Agree')
  expect(document.activeElement).toBe(screen.getByText('a'))
})

test('with no row left it is in the region around them', async () => {
  render(<Files />)
  for (const file of ['a', 'b', 'c']) {
    await press(`Delete ${file}`)
    await press('Agree')
  }
  expect(document.activeElement).toBe(screen.getByRole('region', { name: 'Files' }))
})

test('a button whose work is done leaves the focus to its panel', async () => {
  function Build() {
    const [isOn, setOn] = useState(true)
    return (
      <div role="tabpanel" tabIndex={-1}>
        {isOn ? <section>{<button onClick={() => setOn(false)}>Cancel</button>}</section> : null}
        <button type="button">Roll back</button>
      </div>
    )
  }
  render(<Build />)
  await press('Cancel')
  expect(document.activeElement).toBe(screen.getByRole('tabpanel'))
})

test('where a page gives way to another, the focus is in that one and not in the header', async () => {
  function Window() {
    const [page, setPage] = useState('home')
    return (
      <>
        <button type="button">Guide</button>
        <main key={page} aria-label={page} tabIndex={-1}>
          {page === 'home' ? <Asked name="New" onAgree={() => setPage('workbench')} /> : null}
        </main>
      </>
    )
  }
  render(<Window />)
  screen.getByText('Guide').focus()
  await press('New')
  await press('Agree')
  expect(document.activeElement).toBe(screen.getByRole('main', { name: 'workbench' }))
})

test('what opened a dialog gets the focus also if it is hidden for a moment, being drawn anew', async () => {
  render(<Asked name="Change" />)
  await press('Change')
  const opener = screen.getByText('Change')
  opener.style.visibility = 'hidden'
  await press('Agree')
  expect(document.activeElement).toBe(document.body)
  opener.style.visibility = ''
  await frames(2)
  expect(document.activeElement).toBe(opener)
})

test('who gave the focus elsewhere, or clicked beside everything, keeps it so', async () => {
  const { rerender } = render(<Files>{<button key="1">Vanishes</button>}</Files>)
  screen.getByText('Vanishes').focus()
  screen.getByText('Vanishes').blur()
  fireEvent.click(document.body)
  rerender(<Files />)
  await frames(2)
  expect(document.activeElement).toBe(document.body)
})
