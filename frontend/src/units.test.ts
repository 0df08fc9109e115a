import { describe, expect, it, vi } from 'vitest'
import {
  formatBytes,
  formatCount,
  formatDay,
  formatDuration,
  formatMs,
  formatPercent,
  formatTimestamp,
  plural,
} from './units'

describe('units', () => {
  it('shows milliseconds with as many digits as they are worth', () => {
    expect([0.0843, 6, 3.24, 15.27, 153.4, 1240, 12_400].map((ms) => formatMs(ms))).toEqual([
      '0.084 ms',
      '6.0 ms',
      '3.2 ms',
      '15.3 ms',
      '153 ms',
      '1.24 s',
      '12.4 s',
    ])
    expect(formatMs(null)).toBe('–')
  })

  it('groups thousands', () => {
    expect(formatCount(5050)).toBe('5,050')
    expect(formatBytes(172_300)).toBe('172 kB')
    expect(formatBytes(12)).toBe('12 B')
  })

  it('speaks of durations as people do', () => {
    expect([4, 60, 95, 3600, 5400].map((seconds) => formatDuration(seconds))).toEqual([
      '4 s',
      '1 min',
      '1 min 35 s',
      '1 h',
      '1 h 30 min',
    ])
  })

  it('counts one thing and many', () => {
    expect([plural(1, 'query', 'queries'), plural(3, 'trip')]).toEqual(['1 query', '3 trips'])
    expect(formatPercent(0.9931)).toBe('99.3 %')
  })
})

describe('a day', () => {
  it('has its year when that is not the present one', () => {
    vi.setSystemTime('2026-06-01T12:00:00Z')
    expect(formatDay('2019-03-01T12:30:05Z')).toContain('2019')
    expect(formatDay('2026-03-01T12:30:05Z')).not.toContain('2026')
    vi.useRealTimers()
    expect(formatDay(null)).toBe('–')
  })

  it('show the part of a second that an instant has, exactly, and none where it has none', () => {
    const whole = formatTimestamp('2026-06-01T12:00:07Z')
    expect(whole).toContain(':07')
    for (const zeros of ['.0', '.000', '.000000']) expect(formatTimestamp(`2026-06-01T12:00:07${zeros}Z`)).toBe(whole)
    expect(formatTimestamp('2026-06-01T12:00:07.040Z')).toBe(whole.replace(':07', ':07.04'))
    expect(formatTimestamp('2026-06-01T12:00:07.001')).toBe(whole.replace(':07', ':07.001'))
    expect(formatTimestamp('2026-06-01T14:00:07.123456+02:00')).toBe(whole.replace(':07', ':07.123456'))
    expect(formatTimestamp('no instant')).toBe('no instant')
  })
})
