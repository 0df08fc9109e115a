import { describe, expect, it } from 'vitest'
import {
  aboutShare,
  type ComplianceAgreement,
  complianceSentence,
  countedShare,
  observedCompliance,
  predictedCompliance,
  shareAxis,
  type WithCompliance,
} from './compliance'

function kept(more: Partial<ComplianceAgreement> = {}): WithCompliance {
  const agreement: ComplianceAgreement = {
    outcome: 'agrees',
    executions: 4000,
    within: 3999,
    within_low: 0.9986,
    within_high: 0.9999,
    predicted: 0.991,
    predicted_most: 0.9951,
    least: 0.98,
    most: 1,
    needed: null,
    error: 0.05,
    ...more,
  }
  return { slo: { threshold_ms: 5 }, predicted_compliance: { at_limits: 0.97, agreement } }
}

describe('predicted beside observed compliance', () => {
  it('marks what is estimated, and rounds what is counted down', () => {
    expect(predictedCompliance(kept())).toBe('≈ 99.1 to 99.51 %')
    expect(predictedCompliance(kept({ predicted_most: 0.99101 }))).toBe('≈ 99.1 %')
    expect(observedCompliance(kept())).toBe('99.97 %')
    expect(countedShare(0.999999)).toBe('99.99 %')
    expect(aboutShare(0.9999999)).toBe('≈ 100 %')
  })

  it('gives the prediction for the limits where nothing ran that is predicted', () => {
    const idle: WithCompliance = {
      slo: { threshold_ms: 5 },
      predicted_compliance: { at_limits: 0.97, agreement: null },
    }
    expect(predictedCompliance(idle)).toBe('≈ 97 %')
    expect([observedCompliance(idle), complianceSentence(idle)]).toEqual(['–', null])
    expect(predictedCompliance({ slo: null, predicted_compliance: null })).toBe('–')
  })

  it('says the verdict with its error, or how many executions it takes', () => {
    expect(complianceSentence(kept({ outcome: 'worse' }))).toBe(
      'Fewer executions than predicted took 5.0 ms or less, by 4,000 executions; such a verdict is wrong in at most 5 of 100 cases',
    )
    expect(complianceSentence(kept({ outcome: 'too few', executions: 120, needed: 1474 }))).toBe(
      'Too few executions to judge how many took 5.0 ms or less: 120 of at least 1,474',
    )
  })

  it('puts every share on an axis of few round ticks that ends with all', () => {
    expect(shareAxis([0.9912, 0.997]).ticks).toEqual([0.99, 0.992, 0.994, 0.996, 0.998, 1])
    expect(shareAxis([0]).ticks).toEqual([0, 0.2, 0.4, 0.6, 0.8, 1])
    for (const share of [0, 0.13, 0.5, 0.77, 0.9, 0.9931, 0.99999]) {
      const { low, ticks, place } = shareAxis([share])
      expect(ticks.length).toBeLessThanOrEqual(6)
      expect([low <= share, ticks.at(-1), place(1)]).toEqual([true, 1, 1])
    }
  })
})
