// @vitest-environment happy-dom
import { act, cleanup, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { useCompilationState } from '../documents/compile-loop'
import { setText, useDocuments } from '../documents/documents'
import { useIsProblemsOpen } from './problems-drawer'

const PATH = 'a.piql'

function Part() {
  return <p>{useIsProblemsOpen() ? 'open' : 'closed'}</p>
}

/** What the compiler says about the text: a problem, or none. */
const answer = (error: string | null) => act(() => useCompilationState.setState({ error }))
const type = (text: string) => act(() => setText(PATH, text))
const wait = (ms: number) => act(() => vi.advanceTimersByTime(ms))

beforeEach(() => {
  vi.useFakeTimers()
  const file = { path: PATH, text: '', savedText: '', revision: 'r', saveState: 'saved', conflict: null } as const
  useDocuments.setState({ application: 'a', files: [file], version: 1 })
  render(<Part />)
})

afterEach(() => {
  answer(null)
  wait(10_000)
  cleanup()
  vi.useRealTimers()
})

describe('the drawer of problems while somebody types', () => {
  it('stays closed at a problem that the next key mends', () => {
    type('x')
    answer('a problem')
    wait(300)
    expect(screen.getByText('closed')).toBeTruthy()
    type('')
    answer(null)
    wait(10_000)
    expect(screen.getByText('closed')).toBeTruthy()
  })

  it('opens when the text rests with a problem, and closes when it rests without one', () => {
    type('xx')
    answer('a problem')
    wait(400)
    type('xxx')
    wait(500)
    expect(screen.getByText('closed')).toBeTruthy()
    wait(500)
    expect(screen.getByText('open')).toBeTruthy()
    type('xy')
    answer(null)
    wait(500)
    expect(screen.getByText('open')).toBeTruthy()
    wait(500)
    expect(screen.getByText('closed')).toBeTruthy()
  })

  it('opens at once at a problem that nobody has just typed', () => {
    wait(5_000)
    answer('a problem')
    expect(screen.getByText('open')).toBeTruthy()
  })
})
