import type { Prediction, Stage } from '../../api/types'
import type { Latencies } from '../../logic/plan-metric'

/** The typical p99 of each operator by the id of its node; only a physical plan has operators. */
export function latenciesOf(stage: Stage, prediction: Prediction | undefined): Latencies {
  const operators = stage.name === 'physical' ? (prediction?.operators ?? []) : []
  return new Map(operators.map((operator) => [operator.path, operator.typical_p99_ms]))
}
