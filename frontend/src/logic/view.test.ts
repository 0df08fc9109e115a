import { describe, expect, it } from 'vitest'
import { formatView, parseSlo, parseView, type View } from './view'

function parse(url: string): View {
  const [path = '', search = ''] = url.split('?')
  return parseView(path, search)
}

describe('the view in the URL', () => {
  it('survives the way there and back', () => {
    const view: View = {
      page: 'workbench',
      workspace: 'scadr',
      file: 'queries/thoughtstream.piql',
      query: 'thoughtstream',
      panel: 'plan',
      bottom: 'problems',
      stage: 'Phase I',
      node: '0.1',
      as: 'table',
      x: 'subscriptions.owner',
      y: 'count',
      run: 'r1',
      together: 'findUser, thoughtstream | myThoughts',
      slo: { quantile: 0.999, threshold_ms: 150, interval_seconds: 30 },
      at: { 'orders.customer, shop': 80, count: 5 },
      cell: { x: 100, y: 50 },
      code: 'unbounded-scan',
      deployment: 'live',
      window: 600,
    }
    expect(parse(formatView(view))).toEqual(view)
  })

  it('names no workspace at the root: which there are is the server’s to say', () => {
    expect(parse('/')).toEqual({ page: 'workbench', workspace: '' })
    expect(parse('/dashboard')).toEqual({ page: 'dashboard', workspace: '' })
    expect([formatView(parse('/')), formatView(parse('/dashboard'))]).toEqual(['/', '/dashboard'])
    expect(formatView({ ...parse('/?query=a'), workspace: 'shop' })).toBe('/workspaces/shop?query=a')
  })

  it('knows the dashboard by its path', () => {
    expect(parse('/workspaces/shop/dashboard?window=300')).toEqual({
      page: 'dashboard',
      workspace: 'shop',
      window: 300,
    })
    expect(parse('/dashboard').page).toBe('dashboard')
  })

  it('leaves paths of files readable', () => {
    expect(formatView({ page: 'workbench', workspace: 'scadr', file: 'queries/a.piql' })).toBe(
      '/workspaces/scadr?file=queries/a.piql',
    )
  })

  it('ignores what it does not understand', () => {
    expect(parse('/workspaces/scadr?panel=nonsense&slo=abc&cell=x&at=x-count&at=0-count&at=5')).toEqual({
      page: 'workbench',
      workspace: 'scadr',
    })
    expect(parse('/workspaces/100%25/x').workspace).toBe('100%')
    expect(parse('/workspaces/%E0%A4%A').workspace).toBe('%E0%A4%A')
    expect(parseSlo('0-1-1')).toBeUndefined()
    expect(parseSlo('100-1-1')).toBeUndefined()
  })
})
