// @vitest-environment happy-dom
import { act, cleanup, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { useCompilationState } from '../documents/compile-loop'
import { useDocuments } from '../documents/documents'
import { useIsBehind } from './behind'

const drawn = vi.fn()

function Part() {
  drawn()
  return <p>{useIsBehind() ? 'behind' : 'current'}</p>
}

const isMarked = () => document.documentElement.hasAttribute('data-behind')

beforeEach(() => {
  vi.useFakeTimers()
  useDocuments.setState({ version: 3 })
  useCompilationState.setState({ version: 3 })
})

afterEach(() => {
  cleanup()
  vi.useRealTimers()
})

describe('what is shown while the compiler has not answered', () => {
  it('is current between two keys of somebody who types', () => {
    render(<Part />)
    act(() => useDocuments.setState({ version: 4 }))
    act(() => vi.advanceTimersByTime(300))
    expect(screen.getByText('current')).toBeTruthy()
    expect(isMarked()).toBe(false)
  })

  it('is marked as older than the text after a moment, until the answer is there', () => {
    render(<Part />)
    act(() => useDocuments.setState({ version: 4 }))
    act(() => vi.advanceTimersByTime(1000))
    expect(screen.getByText('behind')).toBeTruthy()
    expect(isMarked()).toBe(true)
    act(() => useCompilationState.setState({ version: 4 }))
    expect(screen.getByText('current')).toBeTruthy()
    expect(isMarked()).toBe(false)
  })

  it('is not drawn for keys that are answered in time', () => {
    render(<Part />)
    drawn.mockClear()
    for (let version = 4; version < 9; version += 1) {
      act(() => useDocuments.setState({ version }))
      act(() => vi.advanceTimersByTime(300))
      act(() => useCompilationState.setState({ version }))
    }
    expect(drawn).not.toHaveBeenCalled()
  })

  it('is marked later where older answers come meanwhile', () => {
    render(<Part />)
    for (let version = 4; version < 9; version += 1) {
      act(() => useDocuments.setState({ version }))
      act(() => vi.advanceTimersByTime(400))
      act(() => useCompilationState.setState({ version: version - 1 }))
    }
    expect(isMarked()).toBe(false)
    act(() => vi.advanceTimersByTime(1000))
    expect(isMarked()).toBe(true)
  })
})
