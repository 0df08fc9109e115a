import { describe, expect, it } from 'vitest'
import { nextBox } from './diagram-keys'
import { layoutDiagram, layouter } from './diagram-layout'
import { HEAD, type PlacedBox } from './diagram-links'
import { type Access, linkLabel, namesOnly, type SchemaTable, schemaDiagram, tablesOfSteps } from './schema-diagram'
import type { TextRange } from './shapes'

const range = (line: number): TextRange => ({
  file: 'schema.piql',
  start_line: line,
  start_column: 1,
  end_line: line,
  end_column: 9,
})

function table(name: string, columns: readonly string[], more: Partial<SchemaTable> = {}): SchemaTable {
  return {
    name,
    range: range(1),
    name_range: range(1),
    columns: columns.map((column, index) => ({
      name: column,
      type: 'INT',
      is_nullable: index > 0,
      range: range(index + 2),
    })),
    primary_key: columns.slice(0, 1),
    unique_keys: [],
    foreign_keys: [],
    limits: [],
    made_from: [],
    stripes: null,
    ...more,
  }
}

const limit = (columns: readonly string[], most: number, isToken = false) => ({
  columns,
  limit: most,
  is_token: isToken,
  range: range(9),
  number_range: range(10),
})
const key = (columns: readonly string[], target: string) => ({
  columns,
  table: target,
  referenced_columns: columns,
  range: range(3),
})

const users = table('users', ['username', 'hometown'])
const subscriptions = table('subscriptions', ['owner', 'target', 'approved'], {
  primary_key: ['owner', 'target'],
  foreign_keys: [key(['owner'], 'users'), key(['target'], 'users')],
  limits: [limit(['owner'], 100)],
})
const thoughts = table('thoughts', ['owner', 'posted'], {
  primary_key: ['owner', 'posted'],
  foreign_keys: [key(['owner'], 'users')],
})
const index = {
  name: 'subscriptions_by_target',
  table: 'subscriptions',
  columns: [
    { name: 'target', ascending: true },
    { name: 'owner', ascending: false },
  ],
  definition: 'subscriptions ((target), owner)',
  used_by: ['followersOf'],
}

function access(name: string, more: Partial<Access> = {}): Access {
  return {
    kind: 'read',
    table: name,
    index: null,
    comes_from: [],
    operations: 1,
    rows: 1,
    is_unbounded: false,
    ...more,
  }
}

const stream = [
  access('subscriptions', { rows: 100 }),
  access('thoughts', { comes_from: [{ table: 'subscriptions', columns: ['target'] }], operations: 100, rows: 5000 }),
]
const SCADR = [users, subscriptions, thoughts]

describe('the diagram of a schema', () => {
  const diagram = schemaDiagram(SCADR, [index], [])

  it('has a line a column, limit and index, each with the place it stands at', () => {
    const box = diagram.boxes.find(({ name }) => name === 'subscriptions')
    expect(box?.lines.map(({ kind, name, detail, isKey }) => [kind, name, detail, isKey])).toEqual([
      ['column', 'owner', 'INT → users', true],
      ['column', 'target', 'INT → users', true],
      ['column', 'approved', 'INT', false],
      ['limit', '≤ 100', 'per owner', false],
      ['index', 'target, owner ↓', 'index, 1 query', false],
    ])
    expect(box?.lines.at(3)?.range).toEqual(range(10))
    expect(box?.lines.at(4)?.range).toBeNull()
  })

  it('says on each foreign key how many rows may name the same one', () => {
    expect(diagram.links.map(linkLabel)).toEqual(['owner · ≤ 100', 'target · no limit', 'owner · no limit'])
  })

  it('takes a limit on fewer columns, and a key, for a limit as well', () => {
    const lines = table('lines', ['id', 'order', 'day'], {
      foreign_keys: [key(['order', 'day'], 'orders'), key(['id'], 'orders')],
      limits: [limit(['order'], 20), limit(['order', 'day'], 30), limit(['day'], 5, true)],
    })
    const { links } = schemaDiagram([table('orders', ['id']), lines], [], [])
    expect(links.map(linkLabel)).toEqual(['order, day · ≤ 20', 'id · ≤ 1'])
  })

  it('leaves out a foreign key to a table that is not there', () => {
    expect(schemaDiagram([thoughts], [], []).links).toEqual([])
  })

  it('says which tables feed a view', () => {
    const view = table('by_owner', ['owner', 'thoughts'], {
      made_from: ['thoughts', 'users', 'gone'],
      stripes: 8,
    })
    const { links } = schemaDiagram([users, thoughts, view], [], [])
    expect(links.filter(({ kind }) => kind === 'feed').map(({ from, to, title }) => [from, to, title])).toEqual([
      ['thoughts', 'by_owner', 'thoughts feeds the view by_owner: a write to thoughts keeps it up to date'],
      ['users', 'by_owner', 'users feeds the view by_owner: a write to users keeps it up to date'],
    ])
    const { boxes } = layoutDiagram(schemaDiagram([users, thoughts, view], [], []))
    expect(boxes.map(({ box }) => [box.name, box.isView])).toContainEqual(['by_owner', true])
    expect(boxes.map(({ box }) => [box.name, box.isView])).toContainEqual(['users', false])
    expect(boxes.flatMap(({ box }) => box.lines.filter(({ kind }) => kind === 'stripes'))).toMatchObject([
      { name: '8 stripes', detail: 'a group is ≤ 8 rows' },
    ])
    const [top, ...below] = boxes.toSorted((one, another) => one.y - another.y).map(({ box }) => box.name)
    expect([top, below.length]).toEqual(['by_owner', 2])
  })

  it('says what a limit on words counts by', () => {
    const books = table('books', ['id', 'title'], { limits: [limit(['title'], 50, true)] })
    expect(schemaDiagram([books], [], []).boxes[0]?.lines.at(-1)?.detail).toBe('per word of title')
  })
})

describe('a query over the schema', () => {
  it('shows the views that a write keeps, along the links that feed them', () => {
    const view = table('by_owner', ['owner', 'thoughts'], { made_from: ['thoughts', 'users'] })
    const post: Access[] = [
      access('thoughts', { kind: 'write', operations: 5, rows: null }),
      access('by_owner', {
        kind: 'keep',
        operations: null,
        rows: null,
        comes_from: [{ table: 'thoughts', columns: [] }],
      }),
    ]
    const { boxes, links, steps } = schemaDiagram([users, thoughts, view], [], post)
    expect(steps.map(({ text }) => text)).toEqual(['≤ 5 ops', 'kept'])
    expect(boxes.filter((box) => box.steps.length > 0).map(({ name }) => name)).toEqual(['thoughts', 'by_owner'])
    expect(links.filter((link) => link.steps.length > 0).map((link) => [link.id, linkLabel(link)])).toEqual([
      ['thoughts⇒by_owner', '2: kept'],
    ])
  })

  it('numbers its steps and says their bounds on tables and links', () => {
    const { boxes, links } = schemaDiagram(SCADR, [], stream)
    expect(boxes.map(({ name, steps }) => [name, ...steps.map(({ number, text }) => `${number}: ${text}`)])).toEqual([
      ['users'],
      ['subscriptions', '1: ≤ 1 op'],
      ['thoughts', '2: ≤ 100 ops'],
    ])
    expect(links.filter(({ steps }) => steps.length > 0).map((link) => [link.id, linkLabel(link)])).toEqual([
      ['subscriptions⇢thoughts', '2: ≤ 100 ops, ≤ 5,000 rows'],
    ])
  })

  it('is said on the foreign key that it follows', () => {
    const { links } = schemaDiagram(
      SCADR,
      [],
      [
        access('subscriptions'),
        access('users', { comes_from: [{ table: 'subscriptions', columns: ['target'] }], operations: 100, rows: 100 }),
      ],
    )
    expect(links).toHaveLength(3)
    expect(links.map(linkLabel)).toEqual([
      'owner · ≤ 100',
      'target · no limit · 2: ≤ 100 ops, ≤ 100 rows',
      'owner · no limit',
    ])
  })

  it('is said on the foreign key that it follows backwards', () => {
    const { links } = schemaDiagram(
      [users, thoughts],
      [],
      [
        access('users'),
        access('thoughts', { comes_from: [{ table: 'users', columns: ['username'] }], operations: 1, rows: 10 }),
      ],
    )
    expect(links.map(linkLabel)).toEqual(['owner · no limit · 2: ≤ 1 op, ≤ 10 rows'])
  })

  it('marks the table that nothing bounds, and says nothing of the rest', () => {
    const refused = [
      access('subscriptions', { operations: null, rows: null, is_unbounded: true }),
      access('thoughts', {
        operations: null,
        rows: null,
        comes_from: [{ table: 'subscriptions', columns: ['target'] }],
      }),
    ]
    const { boxes, steps } = schemaDiagram(SCADR, [], refused)
    expect(boxes.map(({ isUnbounded }) => isUnbounded)).toEqual([false, true, false])
    expect(steps.map(({ text }) => text)).toEqual(['∞ unbounded', ''])
  })

  it('marks the index that is read', () => {
    const { boxes } = schemaDiagram(SCADR, [index], [access('subscriptions', { index: index.name })])
    expect(boxes[1]?.lines.find(({ kind }) => kind === 'index')?.steps).toHaveLength(1)
  })

  it('can be shown with its tables alone', () => {
    const { boxes, links } = tablesOfSteps(schemaDiagram(SCADR, [], stream))
    expect(boxes.map(({ name }) => name)).toEqual(['subscriptions', 'thoughts'])
    expect(links.map(({ id }) => id)).toEqual(['subscriptions⇢thoughts'])
  })
})

function overlap(boxes: readonly PlacedBox[]): string[] {
  return boxes.flatMap((one, at) =>
    boxes
      .slice(at + 1)
      .filter(
        (another) =>
          one.x < another.x + another.width &&
          another.x < one.x + one.width &&
          one.y < another.y + another.height &&
          another.y < one.y + one.height,
      )
      .map((another) => `${one.box.name} and ${another.box.name}`),
  )
}

describe('the places of tables', () => {
  const named = (boxes: readonly PlacedBox[], name: string) => boxes.find(({ box }) => box.name === name)!

  it('put what is referenced above what references it', () => {
    const { boxes } = layoutDiagram(schemaDiagram(SCADR, [], []))
    const bottom = named(boxes, 'users').y + named(boxes, 'users').height
    expect(named(boxes, 'subscriptions').y).toBeGreaterThan(bottom)
    expect(named(boxes, 'thoughts').y).toBeGreaterThan(bottom)
  })

  it('put it to the left where there is more width than height', () => {
    const { boxes } = layoutDiagram(schemaDiagram(SCADR, [], []), 'right')
    const right = named(boxes, 'users').x + named(boxes, 'users').width
    expect(named(boxes, 'subscriptions').x).toBeGreaterThan(right)
    expect(overlap(boxes)).toEqual([])
  })

  it('stay when another query is laid over them', () => {
    const place = layouter()
    const before = place(schemaDiagram(SCADR, [], []), 'down')
    const after = place(schemaDiagram(SCADR, [], stream), 'down')
    expect(after.boxes.map(({ x, y }) => [x, y])).toEqual(before.boxes.map(({ x, y }) => [x, y]))
    expect(after.boxes[1]?.box.steps).toHaveLength(1)
    expect(after.links).toHaveLength(before.links.length + 1)
  })

  it('break the rank below a table that everything references', () => {
    const many = Array.from({ length: 40 }, (_, at) =>
      table(`detail_${at}`, ['id', 'hub'], { foreign_keys: [key(['hub'], 'hub')] }),
    )
    const { boxes, width, height } = layoutDiagram(schemaDiagram([table('hub', ['id']), ...many], [], []))
    expect(overlap(boxes)).toEqual([])
    expect(width / height).toBeLessThan(8)
  })

  it('of names alone are near each other, at any query laid over them', () => {
    const many = Array.from({ length: 29 }, (_, at) =>
      table(`table_${at}`, ['id', 'other', 'a', 'b', 'c'], {
        foreign_keys: at < 3 ? [] : [key(['other'], `table_${Math.floor(at / 3)}`), key(['a'], `table_${at % 3}`)],
      }),
    )
    const tree = table('tree', ['id', 'parent'], { foreign_keys: [key(['parent'], 'tree')] })
    const diagram = schemaDiagram([...many, tree], [], [])
    for (const direction of ['right', 'down'] as const) {
      const whole = layoutDiagram(diagram, direction)
      const { boxes, width, height, links } = layoutDiagram(namesOnly(diagram), direction)
      expect(overlap(boxes)).toEqual([])
      expect(width * height).toBeLessThan((whole.width * whole.height) / 3)
      expect(links.map(({ link }) => link.label).join('')).toBe('')
      expect(named(boxes, 'tree').height).toBe(HEAD)
    }
  })

  it('pack tables that nothing links, and those that reference themselves', () => {
    const alone = Array.from({ length: 30 }, (_, at) => table(`alone_${at}`, ['id', 'other']))
    const tree = table('tree', ['id', 'parent'], { foreign_keys: [key(['parent'], 'tree')] })
    const { boxes, links, width, height } = layoutDiagram(schemaDiagram([...alone, tree], [], []))
    expect(overlap(boxes)).toEqual([])
    expect(width / height).toBeLessThan(3)
    expect(links).toHaveLength(1)
    expect(links[0]?.path).not.toContain('NaN')
  })

  it('lead from one to the next by the arrow keys', () => {
    const { boxes } = layoutDiagram(schemaDiagram(SCADR, [], []))
    expect(nextBox(boxes, 'thoughts', 'ArrowUp')).toBe('users')
    const below = nextBox(boxes, 'users', 'ArrowDown')
    expect(['subscriptions', 'thoughts']).toContain(below)
    const [left, right] = ['subscriptions', 'thoughts'].toSorted((a, b) => named(boxes, a).x - named(boxes, b).x)
    expect(nextBox(boxes, left!, 'ArrowRight')).toBe(right)
    expect(nextBox(boxes, right!, 'ArrowLeft')).toBe(left)
    expect(nextBox(boxes, 'users', 'ArrowUp')).toBeUndefined()
    expect(nextBox(boxes, 'users', 'a')).toBeUndefined()
  })

  it('of no table are nowhere', () => {
    expect(layoutDiagram(schemaDiagram([], [], [])).boxes).toEqual([])
  })
})
