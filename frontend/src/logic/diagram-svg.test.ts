// @vitest-environment happy-dom
import { expect, test } from 'vitest'
import { foundTable } from './diagram-keys'
import { layoutDiagram } from './diagram-layout'
import { diagramSvg } from './diagram-svg'
import { schemaDiagram } from './schema-diagram'

const COLOURS = {
  background: '#fff',
  box: '#eee',
  line: '#ccc',
  text: '#000',
  soft: '#444',
  accent: '#060',
  danger: '#b00',
}

test('the picture of a diagram is an SVG of its own, with names that could break it written safely', () => {
  const table = {
    name: "a<b>&'c",
    range: null,
    name_range: null,
    columns: [{ name: 'id', type: 'INT', is_nullable: false, range: null }],
    primary_key: ['id'],
    unique_keys: [],
    foreign_keys: [],
    limits: [{ columns: ['id'], limit: 5, is_token: false, range: null, number_range: null }],
    made_from: [],
    stripes: null,
  }
  const access = {
    kind: 'read' as const,
    table: table.name,
    index: null,
    comes_from: [],
    operations: null,
    rows: null,
    is_unbounded: true,
  }
  const svg = diagramSvg(layoutDiagram(schemaDiagram([table], [], [access])), COLOURS, 'schema')
  const document = new DOMParser().parseFromString(svg, 'image/svg+xml')
  expect(document.querySelector('parsererror')).toBeNull()
  const texts = [...document.querySelectorAll('text')].map(({ textContent }) => textContent)
  expect(texts).toEqual([table.name, '1: ∞ unbounded', 'PK id', 'INT', '≤ 5', 'per id'])
  expect(svg).toContain("stroke='#b00' stroke-dasharray")
})

test('a search means the table of that name, then one that begins with it, then one that holds it', () => {
  const names = ['order_line', 'orders', 'line']
  expect(['line', 'ord', 'NE', ' ', 'x'].map((text) => foundTable(names, text))).toEqual([
    'line',
    'order_line',
    'order_line',
    undefined,
    undefined,
  ])
})
