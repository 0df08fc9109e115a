import { useId } from 'react'
import type { Axis } from '../../api/types'
import { currentView, replaceView } from '../../app/url-state'
import { axisValues } from '../../logic/heatmap'
import { formatCount } from '../../units'
import styles from './heatmap.module.css'

interface SlidersProps {
  /** The limits that are on no axis of the heatmap. */
  axes: readonly Axis[]
  /** The values that differ from the text, by symbol. */
  values: Readonly<Record<string, number>>
}

/** A slider for each limit that is on no axis; moving it changes the drawing and the URL, not the text. */
export function Sliders({ axes, values }: SlidersProps) {
  if (axes.length === 0) return null
  return (
    <fieldset className={styles['sliders']}>
      <legend className="visually-hidden">Further limits</legend>
      {axes.map((axis) => (
        <Slider key={axis.symbol} axis={axis} value={values[axis.symbol] ?? axis.current} />
      ))}
    </fieldset>
  )
}

function Slider({ axis, value }: { axis: Axis; value: number }) {
  const id = useId()
  const steps = [...new Set([...axisValues(axis.current), value])].toSorted((a, b) => a - b)
  const move = (index: number) => {
    const { [axis.symbol]: _, ...otherValues } = currentView().at ?? {}
    const next = steps[index] ?? axis.current
    const at = next === axis.current ? otherValues : { ...otherValues, [axis.symbol]: next }
    replaceView({ at: Object.keys(at).length > 0 ? at : undefined })
  }
  return (
    <div className={styles['slider']}>
      <label htmlFor={id}>{axis.label}</label>
      <input
        id={id}
        type="range"
        min={0}
        max={steps.length - 1}
        value={steps.indexOf(value)}
        aria-valuetext={formatCount(value)}
        onChange={(event) => move(Number(event.target.value))}
      />
      <output htmlFor={id}>
        {formatCount(value)}
        {value === axis.current ? '' : `, in the text ${formatCount(axis.current)}`}
      </output>
    </div>
  )
}
