import { describe, expect, it } from 'vitest'
import { tickTimes, timeSpan } from './time-axis'

const at = (hour: number, minute: number, second = 0) => new Date(2026, 10, 22, hour, minute, second)

describe('an axis of time', () => {
  it('names days at midnight, minutes between them, and seconds where one tick has some', () => {
    const [midnight, morning] = tickTimes([at(0, 0), at(6, 0)])
    expect(midnight).toMatch(/^[^:]*22[^:]*$/)
    expect(morning).toBe('06:00')
    expect(tickTimes([at(18, 29), at(18, 30)])).toEqual(['18:29', '18:30'])
    expect(tickTimes([at(18, 30), at(18, 30, 5)])).toEqual(['18:30:00', '18:30:05'])
  })

  it('gives one instant a minute around it', () => {
    expect(timeSpan([at(18, 30)])).toEqual([at(18, 29, 30), at(18, 30, 30)])
    expect(timeSpan([at(18, 30), at(18, 40)])).toEqual([at(18, 30), at(18, 40)])
  })
})
