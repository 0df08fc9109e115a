import { Notice } from '../../ui/Notice'
import { plural } from '../../units'
import styles from './heatmap.module.css'

/** The reasons why a prediction is less certain than usual. */
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
