import { useQuery } from '@tanstack/react-query'
import { stripeDial } from '../../api/queries'
import { requestGridWith } from '../../app/grid-request'
import { planKey, useChosenRun } from '../../app/predictions'
import { useShownAnswer } from '../../app/shown-compilation'
import { useEnvironment } from '../../app/url-state'
import { aboutMs } from '../../logic/estimate'
import { parseRate } from '../../logic/price-words'
import { busyText, dialSentence, type Step, shownSteps, stepNotes } from '../../logic/stripe-words'
import { Badge } from '../../ui/Badge'
import { Button } from '../../ui/Button'
import { TextField } from '../../ui/Field'
import { ErrorNotice, Notice } from '../../ui/Notice'
import { Cell, numeric, Table } from '../../ui/Table'
import { formatCount } from '../../units'
import styles from './change-schema.module.css'

interface StripeDialProps {
  view: string
  /** The writes a second to the hottest group, as typed. */
  rate: string
  /** The number of stripes that is chosen, as typed. */
  stripes: string
  onRate: (rate: string) => void
  onStripes: (stripes: string) => void
}

/** What reads and writes of a view take by its number of stripes, at a rate that is typed; a row chooses its number. */
export function StripeDial({ view, rate, stripes, onRate, onStripes }: StripeDialProps) {
  const perSecond = parseRate(rate)
  return (
    <div className={styles['wide']}>
      <TextField
        label="Writes a second to the hottest group"
        inputMode="decimal"
        value={rate}
        error={rate.trim() !== '' && perSecond === null ? 'A number above 0' : undefined}
        onChange={(event) => onRate(event.target.value)}
      />
      {perSecond === null ? null : (
        <Dial view={view} perSecond={perSecond} chosen={Number(stripes)} onStripes={onStripes} />
      )}
    </div>
  )
}

interface DialProps {
  view: string
  perSecond: number
  chosen: number
  onStripes: (stripes: string) => void
}

function Dial({ view, perSecond, chosen, onStripes }: DialProps) {
  const environment = useEnvironment()
  const run = useChosenRun()
  const { compilation, files } = useShownAnswer()
  const plans = JSON.stringify((compilation?.queries ?? []).filter((query) => query.bound).map(planKey))
  const also = Number.isInteger(chosen) && chosen >= 1 && chosen <= 256 ? [chosen] : []
  const { data: dial, error } = useQuery({
    ...stripeDial(environment, plans, { files, run_id: run?.id ?? '', view, per_second: perSecond, also }),
    enabled: run !== null,
  })
  if (run === null)
    return <Notice>Measure the store in the panel Profile first: the rate alone says too little.</Notice>
  if (error) return <ErrorNotice error={error} />
  if (!dial) return <p className={styles['hint']}>Computing…</p>
  if ('missing' in dial)
    return (
      <Notice>
        {dial.reason}{' '}
        <Button size="small" onClick={() => requestGridWith(dial.missing)}>
          Profile with the missing point
        </Button>
      </Notice>
    )
  return (
    <>
      <p className={styles['dialText']}>{dialSentence(dial)}</p>
      <Table
        label={`Reads and writes of ${view} by its stripes`}
        columns={[
          'Stripes',
          numeric('Read: requests'),
          numeric('Read: p99'),
          numeric('Partition busy'),
          numeric('Write: p99'),
        ]}
      >
        {shownSteps(dial, chosen).map((step) => (
          <StepRow
            key={step.stripes}
            step={step}
            isChosen={step.stripes === chosen}
            notes={stepNotes(dial, step)}
            onChoose={() => onStripes(String(step.stripes))}
          />
        ))}
      </Table>
      {dial.warnings.map((warning) => (
        <Notice key={warning}>{warning}</Notice>
      ))}
    </>
  )
}

interface StepRowProps {
  step: Step
  isChosen: boolean
  notes: readonly string[]
  onChoose: () => void
}

function StepRow({ step, isChosen, notes, onChoose }: StepRowProps) {
  return (
    <tr data-selected={isChosen}>
      <Cell>
        <label className={styles['check']}>
          <input type="radio" name="stripes" checked={isChosen} onChange={onChoose} />
          {step.stripes === 1 ? 'none' : formatCount(step.stripes)}
          {notes.map((note) => (
            <Badge key={note} tone={note === 'needed' ? 'accent' : 'info'}>
              {note}
            </Badge>
          ))}
        </label>
      </Cell>
      <Cell isNumeric>{formatCount(step.read_requests)}</Cell>
      <Cell isNumeric>{step.read_ms === null ? 'not measured' : aboutMs(step.read_ms)}</Cell>
      <Cell isNumeric>{busyText(step)}</Cell>
      <Cell isNumeric>{step.write_ms === null ? 'cannot follow' : aboutMs(step.write_ms)}</Cell>
    </tr>
  )
}
