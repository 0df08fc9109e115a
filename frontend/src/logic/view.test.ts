import { describe, expect, it } from 'vitest'
import {
  changed,
  formatView,
  HOME,
  overviewOf,
  parseSlo,
  parseView,
  recordOf,
  teamPageOf,
  type View,
  viewOf,
} from './view'

function parse(url: string): View {
  const { pathname, search, hash } = new URL(url, 'http://localhost')
  return parseView(pathname, search, hash)
}

describe('the view in the URL', () => {
  it('survives the way there and back', () => {
    const view: View = {
      page: 'workbench',
      application: 'scadr',
      environment: 'development',
      file: 'queries/thoughtstream.piql',
      query: 'thoughtstream',
      panel: 'plan',
      stage: 'Phase I',
      node: '0.1',
      as: 'table',
      metric: 'bytes',
      against: 'live',
      x: 'subscriptions.owner',
      y: 'count',
      run: 'r1',
      together: 'findUser, thoughtstream | myThoughts',
      slo: { quantile: 0.999, threshold_ms: 150, interval_seconds: 30 },
      at: { 'orders.customer, shop': 80, count: 5 },
      cell: { x: 100, y: 50 },
      region: { x1: 30, y1: 10, x2: 100, y2: 50 },
      closer: { x1: 10, y1: 10, x2: 200, y2: 50 },
      code: 'unbounded-scan',
      deployment: 'live',
      thread: '12',
      threads: 'resolved',
      threadsOf: 'file',
      tour: 2,
      window: 600,
      source: 'applications',
    }
    expect(parse(formatView(view))).toEqual(view)
  })

  it('has the filter of the record in the address', () => {
    const view = changed(parse('/people'), recordOf({ person: 'ben' }))
    expect(formatView(view)).toBe('/record?person=ben')
    expect(parse('/record?person=ben&of=shop&about=/api/people')).toMatchObject({
      page: 'record',
      person: 'ben',
      of: 'shop',
      about: '/api/people',
    })
  })

  it('has a page over all applications, whose filter and window are in the address', () => {
    expect(parse('/overview')).toMatchObject({ page: 'overview', application: '' })
    expect(formatView(parse('/overview?named=shop,chat&window=86400'))).toBe('/overview?named=shop%2Cchat&window=86400')
    expect(formatView(changed(parse('/applications/a/b/dashboard?query=q'), overviewOf()))).toBe('/overview')
    expect(parse('/overview/a').unknownPath).toBe('/overview/a')
  })

  it('has a page for experiments, and one for each of them', () => {
    expect(parse('/experiments')).toMatchObject({ page: 'experiments' })
    expect(parse('/experiments/vldb-figure-7')).toMatchObject({ page: 'experiments', experiment: 'vldb-figure-7' })
    expect(formatView(parse('/experiments/vldb-figure-7'))).toBe('/experiments/vldb-figure-7')
    expect(parse('/experiments/a/b').unknownPath).toBe('/experiments/a/b')
  })

  it('has the values of a run behind #, which no server is sent, while their form is in sight', () => {
    const values = { me: 'ada & co', since: null, text: 'a\nb#?', value: '', constructor: '1', null: 'x' }
    const view: View = { ...parse('/?query=a'), application: 'shop', panel: 'run', values }
    const url = formatView(view)
    expect(url).toMatch(/^\/applications\/shop\/development\?query=a&panel=run#/)
    expect(parse(url)).toEqual(view)
    expect(parse(formatView({ ...view, panel: 'plan', beside: ['run'] })).values).toEqual(values)
    expect(formatView({ ...view, panel: 'plan' })).not.toContain('#')
    expect(formatView({ ...view, page: 'dashboard' })).not.toContain('#')
    expect(formatView({ ...view, values: { me: 'x'.repeat(5000) } })).not.toContain('#')
    expect(parse('/?query=a#content').values).toBeUndefined()
  })

  it('leaves the values with the query that they were typed for', () => {
    const view: View = { ...parse('/?query=a'), application: 'shop', panel: 'run', values: { me: 'ada' } }
    expect(changed(view, { panel: 'plan' }).values).toEqual({ me: 'ada' })
    expect(changed(view, { query: 'b' }).values).toBeUndefined()
    expect(changed(view, { environment: 'production' }).values).toBeUndefined()
    expect(changed(view, { query: 'b', values: { you: 'bob' } }).values).toEqual({ you: 'bob' })
  })

  it('names no application at the root: which there are is the server’s to say', () => {
    expect(parse('/')).toEqual({ page: 'home', application: '', environment: 'development' })
    expect(parse('/dashboard')).toEqual({ page: 'dashboard', application: '', environment: 'development' })
    expect([formatView(parse('/')), formatView(parse('/dashboard'))]).toEqual(['/', '/dashboard'])
    expect(formatView({ ...parse('/?query=a'), application: 'shop' })).toBe('/applications/shop/development?query=a')
  })

  it('knows the pages of the guide by their paths', () => {
    const view = parse('/guide/reference/types?section=dates')
    expect(view).toMatchObject({ page: 'guide', guide: 'reference/types', section: 'dates', application: '' })
    expect(formatView(view)).toBe('/guide/reference/types?section=dates')
    expect(formatView(parse('/guide'))).toBe('/guide')
    for (const page of ['people', 'account', 'record'] as const) {
      expect(parse(`/${page}`)).toMatchObject({ page, application: '' })
      expect(formatView({ ...parse('/guide/tutorial'), ...teamPageOf(page) })).toBe(`/${page}`)
    }
    expect(formatView({ ...view, ...viewOf('scadr', 'development') })).toBe('/applications/scadr/development')
  })

  it('knows the dashboard by its path', () => {
    expect(parse('/applications/shop/staging/dashboard?window=300')).toEqual({
      page: 'dashboard',
      application: 'shop',
      environment: 'staging',
      window: 300,
    })
    expect(parse('/dashboard').page).toBe('dashboard')
    const alerts = { page: 'alerts', application: 'shop', environment: 'staging' } as const
    expect(parse('/applications/shop/staging/alerts')).toEqual(alerts)
    expect(formatView(alerts)).toBe('/applications/shop/staging/alerts')
  })

  it('has the number of a deploy request in its path', () => {
    const one = { page: 'requests', application: 'shop', environment: 'staging', request: 12 } as const
    expect(parse('/applications/shop/staging/requests/12')).toEqual(one)
    expect(formatView(one)).toBe('/applications/shop/staging/requests/12')
    expect(formatView({ ...one, request: undefined })).toBe('/applications/shop/staging/requests')
    expect(formatView({ ...one, page: 'alerts' })).toBe('/applications/shop/staging/alerts')
    for (const path of ['requests/twelve', 'requests/0', 'requests/1/2', 'alerts/1'])
      expect(parse(`/applications/shop/staging/${path}`).page).toBe('home')
  })

  it('is home for a path that leads nowhere, which stays in the address until another page is opened', () => {
    for (const path of ['/nowhere', '/applications/shop/staging/nowhere', '/workspaces/shop/nowhere', '/dashboard/x']) {
      const view = parse(path)
      expect(view).toEqual({ page: 'home', unknownPath: path, application: '', environment: 'development' })
      expect(formatView(view)).toBe(path)
      expect(formatView({ ...view, ...HOME })).toBe('/')
      expect(formatView({ ...view, ...viewOf('shop', 'staging') })).toBe('/applications/shop/staging')
    }
    expect(parse('/applications/shop/staging/')).toEqual(parse('/applications/shop/staging'))
    expect(parse('/nowhere?code=all').code).toBe('all')
  })

  it('takes a link of an earlier form, and one without an environment, for development', () => {
    const development = { page: 'workbench', application: 'shop', environment: 'development' }
    expect(parse('/workspaces/shop')).toEqual(development)
    expect(parse('/applications/shop')).toEqual(development)
    expect(parse('/workspaces/shop/dashboard')).toEqual({ ...development, page: 'dashboard' })
    expect(parse('/applications/shop/dashboard').environment).toBe('dashboard')
    expect(parse('/?query=a')).toEqual({ ...development, application: '', query: 'a' })
    expect([parse('/?file=a.piql').page, parse('/?panel=run').page]).toEqual(['workbench', 'workbench'])
  })

  it('leaves paths of files readable', () => {
    expect(
      formatView({ page: 'workbench', application: 'scadr', environment: 'development', file: 'queries/a.piql' }),
    ).toBe('/applications/scadr/development?file=queries/a.piql')
  })

  it('ignores what it does not understand', () => {
    expect(parse('/applications/scadr?panel=nonsense&slo=abc&cell=x&at=x-count&at=0-count&at=5')).toEqual({
      page: 'workbench',
      application: 'scadr',
      environment: 'development',
    })
    expect(parse('/applications/100%25/x').application).toBe('100%')
    expect(parse('/applications/%E0%A4%A').application).toBe('%E0%A4%A')
    expect(parseSlo('0-1-1')).toBeUndefined()
    expect(parseSlo('100-1-1')).toBeUndefined()
  })
})
