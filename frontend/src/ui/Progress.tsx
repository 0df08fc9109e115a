import styles from './progress.module.css'

/** `share` null: it goes on, and nobody knows how far it is. */
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
