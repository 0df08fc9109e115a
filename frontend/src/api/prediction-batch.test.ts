// @vitest-environment happy-dom
import { afterEach, describe, expect, it, vi } from 'vitest'
import { askPrediction } from './prediction-batch'

const environment = { application: 'scadr', environment: 'development' }
const slo = { quantile: 0.99, threshold_ms: 500, interval_seconds: 600 }
const files = [{ path: 'a.piql', text: '' }]

afterEach(() => vi.unstubAllGlobals())

function answerWith(known: readonly string[]) {
  const asked: string[][] = []
  vi.stubGlobal('fetch', async (request: Request) => {
    const { queries } = (await request.json()) as { queries: string[] }
    asked.push(queries)
    return Response.json({
      run_id: 'r',
      predictions: queries.filter((query) => known.includes(query)).map((query) => ({ query, model: 'surface' })),
    })
  })
  return asked
}

describe('predictions asked for in one moment', () => {
  it('go in one request, and each asker gets its own', async () => {
    const asked = answerWith(['a', 'b'])
    const [a, b] = await Promise.all(
      ['a', 'b'].map((query) => askPrediction({ environment, files, query, runId: 'r', slo })),
    )
    expect(asked).toEqual([['a', 'b']])
    expect([a?.query, b?.query]).toEqual(['a', 'b'])
  })

  it('go apart where run or SLO differ', async () => {
    const asked = answerWith(['a'])
    await Promise.all(['r', 's'].map((runId) => askPrediction({ environment, files, query: 'a', runId, slo })))
    expect(asked).toEqual([['a'], ['a']])
  })

  it('go apart where they are of two texts', async () => {
    const asked = answerWith(['a'])
    const newer = [{ path: 'a.piql', text: ' ' }]
    await Promise.all(
      [files, newer].map((text) => askPrediction({ environment, files: text, query: 'a', runId: 'r', slo })),
    )
    expect(asked).toEqual([['a'], ['a']])
  })

  it('fail only for those that the server leaves out', async () => {
    answerWith(['a'])
    const [a, b] = await Promise.allSettled(
      ['a', 'b'].map((query) => askPrediction({ environment, files, query, runId: 'r', slo })),
    )
    expect([a?.status, b?.status]).toEqual(['fulfilled', 'rejected'])
  })
})
