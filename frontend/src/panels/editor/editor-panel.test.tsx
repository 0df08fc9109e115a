// @vitest-environment happy-dom
import { act, cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import { type SaveState, useDocuments } from '../../documents/documents'
import { EditorPanel } from './EditorPanel'

let drawn = 0
vi.mock('./CodeEditor', () => ({
  default: () => {
    drawn += 1
    return <p>the text</p>
  },
}))
vi.mock('../../app/selection', () => ({ useSelectedQuery: () => null }))

afterEach(cleanup)

const saved = (saveState: SaveState) =>
  useDocuments.setState({
    application: 'shop',
    files: [{ path: 'a.piql', text: '-- a', savedText: '-- a', revision: '1', saveState, conflict: null }],
  })

it('draws the dot of a file that is not saved, and with it nothing else', async () => {
  saved('saved')
  render(<EditorPanel />)
  await screen.findByText('the text')
  drawn = 0
  act(() => saved('changed'))
  expect(screen.getByTitle('changed')).toBeTruthy()
  act(() => saved('saved'))
  expect(screen.queryByTitle('changed')).toBeNull()
  expect(drawn).toBe(0)
})
