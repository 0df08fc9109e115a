import { ApiError, Unreachable } from '../../api/client'
import { ErrorNotice, Notice } from '../../ui/Notice'

/** Why a run failed; and of a write whose answer was lost, that it may have been done. */
export function Failure({ error, isWrite }: { error: Error; isWrite: boolean }) {
  return (
    <>
      <ErrorNotice error={error} />
      {isWrite && isOutcomeUnknown(error) ? (
        <Notice tone="warning" role="alert">
          The write may have succeeded: read its rows before you run it again.
        </Notice>
      ) : null}
    </>
  )
}

/** A server that is too busy has not begun; one that fails, or whose store does, may have. */
function isOutcomeUnknown(error: Error): boolean {
  if (error instanceof Unreachable) return true
  return error instanceof ApiError && (error.status === 500 || (error.status === 503 && error.code !== 'busy'))
}
