import { usePrices } from '../../app/prices'
import { setView, useView } from '../../app/url-state'
import { mostText, parseRate } from '../../logic/price-words'
import { TextField } from '../../ui/Field'
import { formatDollars } from '../../units'
import styles from './bounds.module.css'

/** What the current query costs at most, by the environment's sheet of prices, and a month at a rate that is typed. */
export function PriceFacts({ query }: { query: string }) {
  const typed = useView().rate ?? ''
  const rate = parseRate(typed)
  const { report, byQuery } = usePrices(rate === null ? undefined : { [query]: rate })
  const price = byQuery.get(query)
  if (!report) return null
  if (!report.sheet) return <p className={styles['noPrice']}>{report.why_none}</p>
  if (!price || price.most === null) return price ? <p className={styles['noPrice']}>{price.why_none}</p> : null
  return (
    <section className={styles['section']} aria-label="Price">
      <h3 className={styles['heading']}>Price</h3>
      <div className={styles['prices']}>
        <dl className={styles['priceFacts']}>
          <div className={styles['fact']}>
            <dt>$ for 1,000 executions</dt>
            <dd>{mostText(price)}</dd>
            {price.kept === null ? null : (
              <dd className={styles['factDetail']}>{formatDollars(price.kept)} where all pages are kept</dd>
            )}
          </div>
          <div className={styles['fact']}>
            <dt>$ a month</dt>
            <dd>{price.month_most === null ? '–' : `≤ ${formatDollars(price.month_most)}`}</dd>
          </div>
        </dl>
        <TextField
          label="Executions a second"
          inputMode="decimal"
          value={typed}
          error={typed.trim() !== '' && rate === null ? 'A number above 0' : undefined}
          onChange={({ target }) => setView({ rate: target.value || undefined })}
        />
      </div>
      <p className={styles['basis']}>
        From the proof: {report.sheet.basis}. Prices: {report.sheet.of}, {report.sheet.date}.
      </p>
    </section>
  )
}
