import type { PriceReport } from '../api/types'
import styles from './app.module.css'

/** What the prices above rest on; or why there are none, in the server's words. */
export function PriceBasis({ report }: { report: PriceReport | undefined }) {
  if (!report) return null
  return (
    <p className={styles['priceBasis']}>
      {report.sheet
        ? `$ from the proof, at most: ${report.sheet.basis}. Prices: ${report.sheet.of}, ${report.sheet.date}.`
        : report.why_none}
    </p>
  )
}
