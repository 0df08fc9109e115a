import { beforeEach, expect, it } from 'vitest'
import type { editor, IRange } from './monaco'
import { type Collection, keepDecorationsSteady } from './steady-decorations'

/** What an editor has drawn, and how often it was told to draw. */
let ranges: IRange[] = []
let frames = 0

function collection(): Collection {
  let count = 0
  const namesOf = (decorations: readonly editor.IModelDeltaDecoration[]) =>
    decorations.map(() => {
      count += 1
      return `decoration ${count}`
    })
  return {
    get length() {
      return ranges.length
    },
    getRange: (index) => ranges[index] ?? null,
    set: (decorations) => {
      frames += 1
      ranges = decorations.map(({ range }) => range)
      return namesOf(decorations)
    },
    append: (decorations) => {
      frames += 1
      ranges = [...ranges, ...decorations.map(({ range }) => range)]
      return namesOf(decorations)
    },
  }
}

function madeSteady(): Collection {
  const maker = { createDecorationsCollection: collection }
  keepDecorationsSteady(maker)
  return maker.createDecorationsCollection()
}

const on = (line: number): IRange => ({ startLineNumber: line, startColumn: 1, endLineNumber: line, endColumn: 9 })
const caret = (line: number, className = 'caret') => ({ range: on(line), options: { className } })
/** Options as Monaco's own parts have them: one object for all decorations of a kind, and no plain one. */
const sharedOptions = () => Object.create({ kind: 'bracket' }) as object
const bracket = sharedOptions()

beforeEach(() => {
  ranges = []
  frames = 0
})

it('draws no frame for decorations that are drawn already', () => {
  const decorations = madeSteady()
  const names = decorations.set([caret(1), caret(2)])
  expect(decorations.set([caret(1), caret(2)])).toEqual(names)
  expect(frames).toBe(1)
})

it('draws none for those that have moved with the text to where they are wanted', () => {
  const decorations = madeSteady()
  decorations.set([caret(1)])
  ranges = [on(4)]
  decorations.set([caret(4)])
  expect(frames).toBe(1)
})

it('draws none where there is nothing before and after', () => {
  madeSteady().set([])
  expect(frames).toBe(0)
})

it.each([
  ['elsewhere', [caret(2)]],
  ['another look', [caret(1, 'selection')]],
  ['one more', [caret(1), caret(2)]],
  ['none', []],
])('draws what is different: %s', (_, wanted) => {
  const decorations = madeSteady()
  decorations.set([caret(1)])
  decorations.set(wanted)
  expect(frames).toBe(2)
  expect(ranges).toEqual(wanted.map(({ range }) => range))
})

it('draws again what the text has taken away or moved', () => {
  const decorations = madeSteady()
  decorations.set([caret(1)])
  ranges = [on(2)]
  decorations.set([caret(1)])
  expect(ranges).toEqual([on(1)])
})

it('knows what was added', () => {
  const decorations = madeSteady()
  decorations.set([caret(1)])
  const [added] = decorations.append([caret(2)])
  expect(decorations.set([caret(1), caret(2)])[1]).toBe(added)
  expect(frames).toBe(2)
})

it('tells options that Monaco shares by which they are', () => {
  const decorations = madeSteady()
  const shared = (options: object) => ({ range: on(1), options }) as editor.IModelDeltaDecoration
  decorations.set([shared(bracket)])
  decorations.set([shared(bracket)])
  expect(frames).toBe(1)
  decorations.set([shared(sharedOptions())])
  expect(frames).toBe(2)
})
