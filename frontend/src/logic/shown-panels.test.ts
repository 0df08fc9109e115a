import { describe, expect, it } from 'vitest'
import { nextPanel, roomFor, shownPanels, viewOfPanels, withOther, withPanel } from './shown-panels'
import { formatView, parseView } from './view'

describe('panels side by side', () => {
  it('are as many as there is room for, at most three', () => {
    expect([1180, 1440, 1920, 3840].map((width) => roomFor(width, 'side'))).toEqual([1, 2, 3, 3])
    expect([390, 800, 1440].map((width) => roomFor(width, 'full'))).toEqual([1, 2, 3])
    expect([390, 1024].map((width) => roomFor(width, 'below'))).toEqual([1, 2])
  })

  it('are those of the view that fit, from the left', () => {
    expect(shownPanels({}, 3)).toEqual(['plan'])
    expect(shownPanels({ panel: 'run', beside: ['plan', 'run', 'bounds'] }, 3)).toEqual(['run', 'plan', 'bounds'])
    expect(shownPanels({ panel: 'run', beside: ['plan', 'bounds'] }, 1)).toEqual(['run'])
  })

  it('are joined by another one, which takes the last place if there is no room', () => {
    expect(withPanel(['plan'], 'run', 2)).toEqual(['plan', 'run'])
    expect(withPanel(['plan', 'run'], 'heatmap', 2)).toEqual(['plan', 'heatmap'])
    expect(withPanel(['plan', 'run'], 'plan', 3)).toEqual(['plan', 'run'])
    expect(withOther(['plan', 'run'], 'run', 'bounds')).toEqual(['plan', 'bounds'])
    expect(withOther(['plan', 'run'], 'run', 'plan')).toEqual(['run', 'plan'])
    expect(nextPanel(['plan', 'diagram'])).toBe('bounds')
  })

  it('are in the address, as full screen is', () => {
    const view = parseView('/applications/shop/development', '?panel=plan&beside=bounds,nothing,run&full=1')
    expect(view).toMatchObject({ panel: 'plan', beside: ['bounds', 'run'], full: true })
    expect(formatView(view)).toBe('/applications/shop/development?panel=plan&beside=bounds%2Crun&full=1')
    expect(formatView({ ...view, ...viewOfPanels(['run']), full: undefined })).toBe(
      '/applications/shop/development?panel=run',
    )
  })
})
