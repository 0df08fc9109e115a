import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '..')
/** A size of the scale, the size around it, or that of the diagram's names, which grow as the diagram shrinks. */
const ALLOWED = /var\(--text-(xs|m|l|xl)\)|^inherit$|^var\(--far-size\)$/

/** What every style sheet says of the size of its text, as `<file>: <value>`. */
function writtenSizes(): string[] {
  const files = readdirSync(ROOT, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.css'))
  return files.flatMap((file) => {
    const rules = readFileSync(join(ROOT, file), 'utf8').replace(/\/\*.*?\*\/|@font-face \{.*?\}/gs, '')
    return [...rules.matchAll(/[\s;{]font(?:-size)?:\s*([^;}]+)/g)].map(([, value = '']) => `${file}: ${value.trim()}`)
  })
}

describe('the type scale', () => {
  it('has four sizes', () => {
    const tokens = readFileSync(join(ROOT, 'styles/tokens.css'), 'utf8')
    expect([...tokens.matchAll(/--text-(\w+): (\d+px);/g)].map(([, name, size]) => `${name} ${size}`)).toEqual([
      'xs 11px',
      'm 13px',
      'l 15px',
      'xl 20px',
    ])
  })

  it('is used by every style sheet: no other size is written', () => {
    const sizes = writtenSizes()
    expect(sizes.length).toBeGreaterThan(50)
    expect(sizes.filter((written) => !ALLOWED.test(written.slice(written.indexOf(': ') + 2)))).toEqual([])
  })
})
