import { Notice } from '../../ui/Notice'
import { plural } from '../../units'
import styles from './heatmap.module.css'

/** What of a prediction is less sure than it looks. */
export function Warnings({ warnings }: { warnings: readonly string[] }) {
  if (warnings.length === 0) return null
  return (
    <div className={styles['padded']}>
      <Notice tone="warning">
        {warnings.length === 1 ? warnings[0] : `${plural(warnings.length, 'warning')}: ${warnings.join('; ')}`}
      </Notice>
    </div>
  )
}
