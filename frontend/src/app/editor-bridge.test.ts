// @vitest-environment happy-dom
import { expect, it, vi } from 'vitest'
import { moveCaret, useCaret } from './editor-bridge'

it('tells of a caret that has moved, and not of one that is where it was', () => {
  const at = (column: number) => ({ file: 'schema.piql', line: 3, column })
  moveCaret(at(1), true)
  const listener = vi.fn()
  const stop = useCaret.subscribe(listener)
  moveCaret(at(1), true)
  expect(listener).not.toHaveBeenCalled()
  moveCaret(at(2), true)
  expect(listener).toHaveBeenCalledOnce()
  expect(useCaret.getState()).toEqual({ caret: at(2), isMoved: true })
  stop()
})
