import { ChevronLeft, ChevronRight } from 'lucide-react'
import { useRef } from 'react'
import type { Stage } from '../../api/types'
import { IconButton } from '../../ui/Button'
import { useStrip } from '../../ui/useStrip'
import styles from './plan.module.css'

interface StagesProps {
  stages: readonly Stage[]
  current: Stage
  onChoose: (stage: Stage) => void
}

/**
 * The stages of a plan from the text to the physical plan, one for each rule that changed it, and the note of the
 * chosen one.
 */
export function Stages({ stages, current, onChoose }: StagesProps) {
  const index = stages.indexOf(current)
  const list = useRef<HTMLOListElement>(null)
  const previous = stages[index - 1]
  const next = stages[index + 1]
  useStrip(list, index, stages)
  return (
    <div className={styles['stages']}>
      <div className={styles['stepper']}>
        <IconButton
          label="Previous stage"
          size="small"
          disabled={!previous}
          onClick={() => previous && onChoose(previous)}
        >
          <ChevronLeft size={15} aria-hidden />
        </IconButton>
        <ol className={`${styles['steps']} strip`} ref={list} aria-label="Stages">
          {stages.map((stage, stageIndex) => (
            <li key={`${stageIndex}:${stage.name}`}>
              <button
                type="button"
                className={styles['step']}
                aria-current={stage === current ? 'step' : undefined}
                data-past={stageIndex < index}
                onClick={() => onChoose(stage)}
              >
                <span className={styles['stepDot']} aria-hidden />
                {stage.name.replaceAll('_', ' ')}
              </button>
            </li>
          ))}
        </ol>
        <IconButton label="Next stage" size="small" disabled={!next} onClick={() => next && onChoose(next)}>
          <ChevronRight size={15} aria-hidden />
        </IconButton>
      </div>
      {current.note ? <p className={styles['note']}>{current.note}</p> : null}
    </div>
  )
}
