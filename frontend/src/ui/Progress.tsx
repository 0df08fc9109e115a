import styles from './ui.module.css'

export function Progress({ label, share }: { label: string; share: number }) {
  const percent = Math.round(share * 100)
  return (
    <div className={styles['progress']} role="progressbar" aria-label={label} aria-valuemin={0} aria-valuemax={100} aria-valuenow={percent}>
      <div className={styles['progressBar']} style={{ width: `${percent}%` }} />
    </div>
  )
}
