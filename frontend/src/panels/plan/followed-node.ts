/** The node of a plan whose text the caret is in. */
import { useCaret } from '../../app/editor-bridge'
import { nodeAtCaret } from '../../logic/plan-tree'
import type { PlanNode } from '../../logic/shapes'

/** Its id, once the reader has placed the caret. A caret that moves within one node draws nothing again. */
export function useFollowedNode(plan: PlanNode): string | undefined {
  return useCaret(({ caret, isMoved }) => (caret && isMoved ? nodeAtCaret(plan, caret)?.id : undefined))
}
