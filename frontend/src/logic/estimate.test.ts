import { describe, expect, it } from 'vitest'
import { aboutMs, estimateText, worstText } from './estimate'

describe('a predicted latency', () => {
  it('is said to be about a number, with what it stays below in 9 of 10 cases', () => {
    expect(estimateText({ typical_p99_ms: 48, conservative_p99_ms: 61 })).toBe('≈ 48.0 ms (9 of 10 ≤ 61.0 ms)')
  })

  it('has no second number where too few points check the model', () => {
    expect(estimateText({ typical_p99_ms: 48, conservative_p99_ms: null })).toBe('≈ 48.0 ms')
  })

  it('has its worst interval apart, where there are several', () => {
    expect(worstText(460, 3)).toBe('worst of 3 intervals ≈ 460 ms')
    expect(worstText(460, 1)).toBeNull()
  })

  it('is a dash where nothing is predicted', () => {
    expect(aboutMs(null)).toBe('–')
  })
})

describe('the sign of a proof', () => {
  it('stands before no predicted latency in any source', () => {
    const sources = import.meta.glob('../**/*.{ts,tsx}', { query: '?raw', import: 'default', eager: true }) as Record<
      string,
      string
    >
    const wrong = Object.entries(sources).flatMap(([path, text]) =>
      path.includes('.test.') || path.endsWith('logic/estimate.ts')
        ? []
        : text
            .split('\n')
            .filter((line) => /≤ ?(\$\{|\{)?formatMs|p99 ≤/.test(line.replace(/9 of 10 ≤/g, '')))
            .map((line) => `${path}: ${line.trim()}`),
    )
    expect(wrong).toEqual([])
  })
})
