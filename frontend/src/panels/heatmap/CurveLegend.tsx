import type { Heatmap } from '../../api/types'
import { formatPercent } from '../../units'
import styles from './heatmap.module.css'

/** The legend of a curve: what its marks mean. */
export function CurveLegend({ answer }: { answer: Heatmap }) {
  return (
    <div className={styles['legend']}>
      <ul className={styles['curveMarks']} aria-label="Legend">
        <li>● measured</li>
        <li>○ interpolated</li>
        <li>? extrapolated</li>
        {answer.state.flat().includes('refused') ? <li>– too far to predict</li> : null}
        {answer.upper_factor === null ? null : <li>╌ holds in 9 of 10 cases</li>}
        <li>═ SLO, hatched beyond it</li>
        <li>◌ limit in the text</li>
        <li>{formatPercent(answer.quantile, 2)} quantile, worst interval</li>
      </ul>
    </div>
  )
}
