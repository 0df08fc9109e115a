/**
 * Decorations that are drawn already are not set again. Each time that any is set, Monaco draws a frame; and after each key
 * its own parts and ours set what has moved with the text and is otherwise as it was.
 */
import type { editor, IRange } from './monaco'

type Decorations = readonly editor.IModelDeltaDecoration[]

/** What is used of a collection of Monaco. */
export interface Collection {
  readonly length: number
  getRange(index: number): IRange | null
  set(decorations: Decorations): string[]
  append(decorations: Decorations): string[]
}

/** What makes collections of decorations: an editor. */
export interface Maker {
  createDecorationsCollection(decorations?: editor.IModelDeltaDecoration[]): Collection
}

/** Makes all collections steady that an editor makes from now on, for whoever it makes them. */
export function keepDecorationsSteady(code: Maker): void {
  const create = code.createDecorationsCollection.bind(code)
  code.createDecorationsCollection = (decorations) => {
    const collection = steady(create())
    if (decorations) collection.set(decorations)
    return collection
  }
}

function steady(collection: Collection): Collection {
  const set = collection.set.bind(collection)
  const append = collection.append.bind(collection)
  let drawn: Decorations = []
  let ids: string[] = []
  collection.set = (decorations) => {
    const isDrawn = ({ range, options }: editor.IModelDeltaDecoration, index: number) =>
      areSame(options, drawn[index]?.options) && areEqual(range, collection.getRange(index))
    if (decorations.length === collection.length && decorations.every(isDrawn)) return ids
    drawn = [...decorations]
    ids = set(decorations)
    return ids
  }
  collection.append = (decorations) => {
    drawn = [...drawn, ...decorations]
    const added = append(decorations)
    ids = [...ids, ...added]
    return added
  }
  return collection
}

/** Whether options draw the same: Monaco's parts have them once, ours make them for each decoration. */
function areSame(some: object, others: object | undefined): boolean {
  return some === others || (isPlain(some) && JSON.stringify(some) === JSON.stringify(others))
}

function isPlain(options: object): boolean {
  return Object.getPrototypeOf(options) === Object.prototype
}

function areEqual(range: IRange, present: IRange | null): boolean {
  return (
    range.startLineNumber === present?.startLineNumber &&
    range.startColumn === present.startColumn &&
    range.endLineNumber === present.endLineNumber &&
    range.endColumn === present.endColumn
  )
}
