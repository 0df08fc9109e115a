/**
 * The work in five steps, write → predict → deploy → run → compare: how far each is, in two words, and the one sentence
 * that says what matters now. `flowOf` decides it from `FlowFacts`, which app/Flow.tsx gathers and draws.
 */
import { formatCount, plural } from '../units'
import type { Verdict } from './latency-comparison'

export type StepId = 'write' | 'predict' | 'deploy' | 'run' | 'compare'

/** `unknown`: the facts are not there yet. `todo`: the reader's turn. `busy`: the server works on it. */
export type StepState = 'unknown' | 'todo' | 'busy' | 'done' | 'warning' | 'failed'

export interface Step {
  id: StepId
  state: StepState
  /** The state in a word or two, shown beside the step's name; empty while it is unknown. */
  word: string
  /** A sentence about it, for the lead of the screen. */
  sentence: string
}

export interface Flow {
  steps: readonly Step[]
  /** The step that matters now; null if there is nothing to do. */
  next: StepId | null
  lead: string
}

export interface FlowFacts {
  /** Why the text could not be compiled at all. */
  compileError: string | null
  /** null while the text is compiled for the first time. */
  text: { queries: number; errors: number } | null
  /** null while profile runs are being read. */
  predictions: {
    hasRun: boolean
    isMeasuring: boolean
    /** How many bounded queries the run cannot predict. */
    missing: number
    /** The queries with a saved SLO that they are predicted to break. */
    atRisk: readonly string[]
  } | null
  /** null while deployments are being read; `version` is null if there is none. */
  live: {
    version: number | null
    /** Whether the text differs from what was deployed; null while that is not known. */
    isChanged: boolean | null
    isBuilding: boolean
  } | null
  /** What the live version did in the last hour; null while it is read, and without a live version. */
  observed: { executions: number; verdicts: readonly Verdict[] } | null
}

/** The steps with their states, and what to say first. */
export function flowOf(facts: FlowFacts): Flow {
  const steps = [writing(facts), predicting(facts), deploying(facts), running(facts), comparing(facts)]
  const next = URGENCY.map((state) => steps.find((step) => step.state === state)).find((step) => step !== undefined)
  if (next) return { steps, next: next.id, lead: next.sentence }
  return { steps, next: null, lead: steps.some(({ state }) => state === 'unknown') ? '' : ALL_DONE }
}

/** Of steps in the same state, the earliest comes first. */
const URGENCY: readonly StepState[] = ['failed', 'warning', 'busy', 'todo']
const MOST_NAMES = 3
const ALL_DONE = 'Every query has a bound, and what is live runs as predicted.'

function writing({ text, compileError }: FlowFacts): Step {
  const say = sayer('write')
  if (compileError !== null) return say('failed', 'not compiled', 'The text as it is now could not be compiled.')
  if (!text) return say('unknown')
  const { queries, errors } = text
  if (errors > 0) return say('failed', plural(errors, 'error'), `${plural(errors, 'error')}: nothing can be deployed.`)
  if (queries === 0)
    return say('todo', 'no query yet', 'There is no query yet: write CREATE QUERY name AS and a SELECT.')
  return say('done', 'all bounded', 'Every query has a bound.')
}

function predicting({ predictions }: FlowFacts): Step {
  const say = sayer('predict')
  if (!predictions) return say('unknown')
  const { hasRun, isMeasuring, missing, atRisk } = predictions
  if (!hasRun && isMeasuring) return say('busy', 'measuring', 'The store is being measured; predictions follow.')
  if (!hasRun) return say('todo', 'no profile run', 'Measure the store once, and every query has a predicted p99.')
  if (atRisk.length > 0)
    return say(
      'warning',
      `${plural(atRisk.length, 'SLO')} at risk`,
      `Predicted to break ${atRisk.length === 1 ? 'its SLO' : 'their SLOs'}: ${firstOf(atRisk)}.`,
    )
  if (missing > 0)
    return say(
      'todo',
      `${formatCount(missing)} not predicted`,
      `The profile run lacks what ${plural(missing, 'query needs', 'queries need')}: measure it with a larger grid.`,
    )
  return say('done', 'p99 predicted', 'Every query has a predicted p99.')
}

function deploying({ live }: FlowFacts): Step {
  const say = sayer('deploy')
  if (!live) return say('unknown')
  if (live.isBuilding) return say('busy', 'on its way', 'A version is on its way; the live one answers until then.')
  if (live.version === null) return say('todo', 'nothing live', 'Nothing is deployed yet: programs run what is live.')
  if (live.isChanged === null) return say('unknown', `version ${live.version} live`)
  if (live.isChanged)
    return say(
      'todo',
      `differs from version ${live.version}`,
      `The text differs from version ${live.version}, which is live.`,
    )
  return say('done', `version ${live.version} live`, `This text is live: version ${live.version}.`)
}

function running({ live, observed }: FlowFacts): Step {
  const say = sayer('run')
  if (live?.version === null) return say('todo', 'nothing live', 'Deploy a version, then run its queries.')
  if (!observed) return say('unknown')
  if (observed.executions === 0)
    return say('todo', 'not run this hour', 'Nothing was run in the last hour: run a query, or a burst of it.')
  return say('done', `${formatCount(observed.executions)} this hour`, 'Queries were run in the last hour.')
}

/** What puts a query in danger, the worst first, as in the dashboard; of one query and of several. */
const DANGERS: readonly { verdicts: readonly Verdict[]; one: string; many: string }[] = [
  { verdicts: ['failing'], one: 'is failing', many: 'are failing' },
  { verdicts: ['over-bound'], one: 'is over its bound', many: 'are over their bounds' },
  { verdicts: ['limit-passed', 'dangling-entry'], one: 'has incidents', many: 'have incidents' },
  { verdicts: ['burning'], one: 'burns its budget', many: 'burn their budgets' },
  { verdicts: ['slo-broken'], one: 'misses its SLO', many: 'miss their SLOs' },
]

function comparing({ live, observed }: FlowFacts): Step {
  const say = sayer('compare')
  if (live?.version === null) return say('todo', 'nothing live', 'Observed latencies stand beside the predicted ones.')
  if (!observed) return say('unknown')
  const count = (...verdicts: Verdict[]) => observed.verdicts.filter((verdict) => verdicts.includes(verdict)).length
  const dangers = DANGERS.flatMap(({ verdicts, one, many }) => {
    const queries = count(...verdicts)
    const said = plural(queries, `query ${one}`, `queries ${many}`)
    return queries > 0 ? [{ queries, word: plural(queries, one, many), said }] : []
  })
  const [worst] = dangers
  if (worst) {
    const queries = dangers.reduce((sum, danger) => sum + danger.queries, 0)
    const word = dangers.length === 1 ? worst.word : `${formatCount(queries)} in danger`
    return say('failed', word, `In the last hour ${dangers.map(({ said }) => said).join(', ')}.`)
  }
  const slower = count('slower')
  if (slower > 0)
    return say(
      'warning',
      `${formatCount(slower)} slower`,
      `${plural(slower, 'query is', 'queries are')} slower than predicted.`,
    )
  if (count('agrees', 'faster') > 0) return say('done', 'as predicted', 'What is live runs as predicted.')
  return say('todo', 'too few executions', 'Too few executions in the last hour to judge a prediction.')
}

/** The first names of a list, and how many follow: the sentence of a screen is never cut. */
function firstOf(names: readonly string[]): string {
  const more = names.length - MOST_NAMES
  return names.slice(0, MOST_NAMES).join(', ') + (more > 0 ? ` and ${formatCount(more)} more` : '')
}

function sayer(id: StepId) {
  return (state: StepState, word = '', sentence = ''): Step => ({ id, state, word, sentence })
}
