import styles from './progress.module.css'

/** A progress bar; `share` is from 0 to 1, or null if it is not known how far the work is. */
export function Progress({ label, share }: { label: string; share: number | null }) {
  if (share === null) {
    return (
      <div className={styles['progress']} role="progressbar" aria-label={label}>
        <div className={styles['progressUnknown']} />
      </div>
    )
  }
  const percent = Math.round(share * 100)
  return (
    <div
      className={styles['progress']}
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={percent}
    >
      <div className={styles['progressBar']} style={{ width: `${percent}%` }} />
    </div>
  )
}
