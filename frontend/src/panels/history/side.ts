/** One of two versions that are compared, and what its queries are predicted to take. */
import type { Prediction, SourceFile } from '../../api/types'
import { usePredictions, usePredictionsOf } from '../../app/predictions'

/** The texts of one save, or of now: then `save` is null. */
export interface Side {
  name: string
  save: number | null
  files: SourceFile[]
}

/** The predictions of some queries of a side, all of them bounded, by the chosen profile run; empty without a run. */
export function useSidePredictions(side: Side, queries: readonly string[]): ReadonlyMap<string, Prediction> {
  const now = usePredictions()
  const ofSave = usePredictionsOf(`save ${side.save}`, side.files, side.save === null ? [] : queries)
  return side.save === null ? now : ofSave
}
