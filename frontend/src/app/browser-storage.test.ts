import { afterEach, describe, expect, it, vi } from 'vitest'
import { browserStorage } from './browser-storage'

function closed(): never {
  throw new DOMException('The storage is closed.', 'SecurityError')
}

afterEach(() => vi.unstubAllGlobals())

describe('the storage of the browser', () => {
  it('keeps nothing where it is closed, and nothing breaks', () => {
    vi.stubGlobal('localStorage', { getItem: closed, setItem: closed, removeItem: closed })
    browserStorage.setItem('key', 'value')
    browserStorage.removeItem('key')
    expect(browserStorage.getItem('key')).toBeNull()
  })
})
