import { describe, expect, it } from 'vitest'
import { namedMarkers } from './marker-names'

const marker = (version: number, place: number) => ({ version, place, isNewPlan: true })
const versions = (names: { text: string }[]) => names.map(({ text }) => text)

describe('the names of deployments on an axis of time', () => {
  it('stand behind their lines, and at the end of the axis before them', () => {
    expect(namedMarkers([marker(1, 100), marker(2, 590)], { left: 50, right: 600 })).toEqual([
      { text: 'v2, new plan', place: 587, anchor: 'end' },
      { text: 'v1, new plan', place: 103, anchor: 'start' },
    ])
  })

  it('are left out where they would stand on the name of a later one', () => {
    expect(
      versions(
        namedMarkers([marker(1, 100), marker(2, 130), marker(3, 560), marker(4, 595)], { left: 50, right: 600 }),
      ),
    ).toEqual(['v4, new plan', 'v2, new plan'])
  })

  it('never cover each other', () => {
    const names = namedMarkers(
      Array.from({ length: 40 }, (_, index) => marker(index + 1, 50 + index * 13)),
      { left: 50, right: 600 },
    )
    const boxes = names.map(({ text, place, anchor }) =>
      anchor === 'start' ? [place, place + text.length * 6] : [place - text.length * 6, place],
    )
    const byPlace = boxes.toSorted(([one = 0], [other = 0]) => one - other)
    expect(byPlace.every(([start = 0], index) => start >= (byPlace[index - 1]?.[1] ?? 0))).toBe(true)
    expect(names.length).toBeGreaterThan(3)
  })
})
