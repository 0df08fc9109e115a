import type { LoadResult as Result } from '../../api/types'
import { Cell, numeric, Table } from '../../ui/Table'
import styles from './load-runs.module.css'

/** What came of a run, in the words of `piql load-test`. */
export function LoadResult({ result }: { result: Result }) {
  const [first = 'query', ...others] = result.columns
  return (
    <section className={styles['section']} aria-label="Result">
      <h2>Result</h2>
      <p className={styles['soft']}>{result.heading}</p>
      {result.endings.map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
      {result.steps.map((step) => (
        <div key={step.heading} className={styles['step']}>
          <h3>{step.heading}</h3>
          <Table label={step.heading} columns={[first, ...others.map(numeric)]}>
            {step.rows.map(([query, ...cells]) => (
              <tr key={query}>
                <Cell>{query}</Cell>
                {cells.map((cell, index) => (
                  <Cell key={others[index]} isNumeric>
                    {cell}
                  </Cell>
                ))}
              </tr>
            ))}
          </Table>
          <Sentences label={`Remarks on ${step.heading}`} sentences={step.remarks} />
        </div>
      ))}
      <Sentences label="Thresholds" sentences={result.thresholds} />
    </section>
  )
}

function Sentences({ label, sentences }: { label: string; sentences: readonly string[] }) {
  if (sentences.length === 0) return null
  return (
    <ul className={styles['sentences']} aria-label={label}>
      {sentences.map((sentence) => (
        <li key={sentence}>{sentence}</li>
      ))}
    </ul>
  )
}
