import { Button } from './Button'
import { Dialog, DialogActions } from './Dialog'
import { ErrorNotice } from './Notice'

/** What removes the thing, as a mutation does. */
interface Removal {
  mutate: () => void
  isPending: boolean
  error: Error | null
}

interface RemovalDialogProps {
  title: string
  /** What follows from it, in a sentence. */
  consequence: string
  /** What the button says. */
  action: string
  removal: Removal
  onClose: () => void
}

/** Asks before something is removed that cannot be brought back; a refusal is shown in it. */
export function RemovalDialog({ title, consequence, action, removal, onClose }: RemovalDialogProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{consequence}</p>
      {removal.error ? <ErrorNotice error={removal.error} /> : null}
      <DialogActions>
        <Button onClick={onClose}>Keep it</Button>
        <Button look="danger" disabled={removal.isPending} onClick={() => removal.mutate()}>
          {action}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
