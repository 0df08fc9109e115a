import { describe, expect, it } from 'vitest'
import { isCrowded } from './diagram-heads'
import { type Access, schemaDiagram } from './schema-diagram'

const users = {
  name: 'users',
  range: null,
  name_range: null,
  columns: [],
  primary_key: [],
  unique_keys: [],
  foreign_keys: [],
  limits: [],
  made_from: [],
  stripes: null,
}
const check: Access = {
  kind: 'check',
  table: 'users',
  index: null,
  comes_from: [],
  operations: null,
  rows: null,
  is_unbounded: false,
}

describe('the head of a box', () => {
  it('has the text of a step beside the name', () => {
    const [box] = schemaDiagram([users], [], [check]).boxes
    expect(box && isCrowded(box, 190)).toBe(false)
  })

  it('has numbers alone where texts would hide the name', () => {
    const [box] = schemaDiagram([users], [], [check, check]).boxes
    expect(box && isCrowded(box, 190)).toBe(true)
    expect(box && isCrowded(box, 320)).toBe(false)
  })
})
