import { expect, test } from 'vitest'
import { belowRoot, rootOf, withoutRoot } from './root'

test('without a proxy, paths are as they are', () => {
  const root = rootOf('/')
  expect(belowRoot('/api/health', root)).toBe('/api/health')
  expect(withoutRoot('/guide/tutorial', root)).toBe('/guide/tutorial')
  expect(rootOf()).toBe('')
})

test('what a proxy puts before all paths is added and taken away', () => {
  const root = rootOf('/tools/piql/')
  expect(belowRoot('/api/health', root)).toBe('/tools/piql/api/health')
  expect(withoutRoot('/tools/piql/guide', root)).toBe('/guide')
  expect(withoutRoot('/tools/piql/', root)).toBe('/')
  expect(withoutRoot('/tools/piql', root)).toBe('/')
  expect(withoutRoot('/tools/piqlet', root)).toBe('/tools/piqlet')
})
