import { ApiError, Unreachable } from '../../api/client'
import { ErrorNotice, Notice } from '../../ui/Notice'

/** Why an execution failed, and for a write whose answer was lost, that it may have succeeded. */
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

/** Whether an execution may have taken place: not if the server was too busy to begin, but if it or its store failed. */
function isOutcomeUnknown(error: Error): boolean {
  if (error instanceof Unreachable) return true
  return error instanceof ApiError && (error.status === 500 || (error.status === 503 && error.code !== 'busy'))
}
