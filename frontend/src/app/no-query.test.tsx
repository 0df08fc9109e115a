// @vitest-environment happy-dom
import { act, cleanup, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Compilation } from '../api/types'
import { useCompilationState } from '../documents/compile-loop'
import { NoQuery } from './NoQuery'
import { ShownCompilation } from './shown-compilation'

const initial = useCompilationState.getState()

beforeEach(() => {
  useCompilationState.setState(initial, true)
  render(
    <ShownCompilation>
      <NoQuery icon={null}>Choose a query on the left.</NoQuery>
    </ShownCompilation>,
  )
})

afterEach(cleanup)

describe('a panel about the current query', () => {
  it('says that the text is compiled, and only then that no query is selected', () => {
    expect(screen.getByText('Compiling…')).toBeTruthy()
    expect(screen.queryByText('No query is selected')).toBeNull()
    act(() => useCompilationState.setState({ compilation: { queries: [] } as unknown as Compilation }))
    expect(screen.getByText('No query is selected')).toBeTruthy()
  })

  it('says why the text could not be compiled', () => {
    act(() => useCompilationState.setState({ error: 'The server does not answer.' }))
    expect(screen.getByText('Not compiled')).toBeTruthy()
    expect(screen.getByText('The server does not answer.')).toBeTruthy()
  })
})
