import {
  ChevronRight,
  CircleAlert,
  CircleCheck,
  CircleDashed,
  CircleDot,
  LoaderCircle,
  type LucideIcon,
  TriangleAlert,
} from 'lucide-react'
import { memo } from 'react'
import { flowOf, type Step, type StepId, type StepState } from '../logic/flow'
import { Prose } from '../ui/Prose'
import styles from './flow.module.css'
import { useFlowFacts } from './flow-facts'
import { openPanel } from './panel-view'
import { openProblems } from './problems-drawer'

/** Each state has a shape of its own, so that its colour says nothing more. */
const ICONS: Readonly<Record<StepState, LucideIcon>> = {
  unknown: CircleDashed,
  todo: CircleDot,
  busy: LoaderCircle,
  done: CircleCheck,
  warning: TriangleAlert,
  failed: CircleAlert,
}

const NAMES: Readonly<Record<StepId, string>> = {
  write: 'Write',
  predict: 'Predict',
  deploy: 'Deploy',
  run: 'Run',
  compare: 'Compare',
}

/** The steps of the work in a line, each leading to its panel, and the sentence that says what matters now. */
export function Flow() {
  const { steps, next, lead } = flowOf(useFlowFacts())
  return (
    <nav className={styles['flow']} aria-label="Steps">
      <ol className={styles['steps']}>
        {steps.map((step, index) => (
          <li key={step.id} className={styles['item']}>
            {index > 0 ? <ChevronRight size={12} className={styles['arrow']} aria-hidden /> : null}
            <StepButton {...step} isNext={step.id === next} />
          </li>
        ))}
      </ol>
      <p className={styles['lead']}>
        <Prose text={lead} />
      </p>
    </nav>
  )
}

/** Drawn again only where something of it is different: what the steps follow from is new with each key. */
const StepButton = memo(function StepButton({ id, state, word, sentence, isNext }: Step & { isNext: boolean }) {
  const Icon = ICONS[state]
  return (
    <button
      type="button"
      className={styles['step']}
      data-state={state}
      aria-current={isNext ? 'step' : undefined}
      title={sentence || undefined}
      onClick={() => show(id, state)}
    >
      <Icon size={14} className={styles['dot']} aria-hidden />
      <span>{NAMES[id]}</span> <span className={styles['word']}>{word}</span>
    </button>
  )
})

function show(id: StepId, state: StepState): void {
  switch (id) {
    case 'write':
      if (state === 'failed') openProblems()
      else openPanel('bounds')
      return
    case 'predict':
      openPanel(state === 'done' || state === 'warning' ? 'heatmap' : 'profile')
      return
    case 'deploy':
      openPanel('deploy')
      return
    case 'run':
      openPanel('run')
      return
    case 'compare':
      openPanel('dashboard')
  }
}
