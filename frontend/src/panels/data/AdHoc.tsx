import { useMutation } from '@tanstack/react-query'
import { Play } from 'lucide-react'
import { useRef, useState } from 'react'
import { ApiError, messageOf } from '../../api/client'
import type { Select } from '../../api/types'
import { reveal } from '../../app/editor-bridge'
import { useEnvironment, useView } from '../../app/url-state'
import { createFile } from '../../documents/creating'
import { entryOf } from '../../logic/entry'
import { readParameters, type Typed, valueOf } from '../../logic/parameters'
import { queryFile, queryText } from '../../logic/select-text'
import { Button } from '../../ui/Button'
import { TextArea, TextField } from '../../ui/Field'
import { Form } from '../../ui/Form'
import { ErrorNotice, Notice } from '../../ui/Notice'
import { Prose } from '../../ui/Prose'
import { plural } from '../../units'
import { ParameterField } from '../run/ParameterField'
import { Result } from '../run/Result'
import { errorAt, refusalOf } from '../run/refusal'
import styles from './ad-hoc.module.css'
import { runSelect, type SelectRequest } from './ad-hoc-api'
import { useStatement } from './statement'

/** An answer with the request that it is the answer to. */
interface Answer {
  request: SelectRequest
  select: Select
}

/** A SELECT over the live tables and indexes: run at once where it has a bound, refused with its findings where not. */
export function AdHoc({ table, onClose }: { table: string; onClose: () => void }) {
  const environment = useEnvironment()
  const { application } = environment
  const text = useStatement(({ texts }) => entryOf(texts, application)) ?? ''
  const [typed, setTyped] = useState<Readonly<Record<string, Typed>>>({})
  const [answers, setAnswers] = useState<readonly Answer[]>([]) // the pages that were read, the last one shown
  const fields = useRef<HTMLDivElement>(null)
  const run = useMutation({ mutationFn: (request: SelectRequest) => runSelect(environment, request) })
  const last = answers.at(-1)
  const known = last?.request.text === text ? last.select.parameters : []
  const send = (request: SelectRequest, page: number) =>
    run.mutate(request, {
      onSuccess: (select) => {
        setAnswers((before) => [...before.slice(0, page), { request, select }])
        if (select.execution === null) requestAnimationFrame(() => focusFirst(fields.current))
      },
      onError: () => page === 0 && setAnswers((before) => before.slice(0, 1).map(withoutRows)),
    })
  const runFirst = () =>
    send({ text, parameters: known.length > 0 ? readParameters(known, typed) : null, cursor: null }, 0)
  const refusal = run.error ? refusalOf(run.error, known, typed) : null
  const execution = last?.select.execution
  return (
    <section className={styles['adHoc']} aria-label="SELECT">
      <Form className={styles['form']} aria-label="Run a SELECT" onSubmit={runFirst}>
        <TextArea
          label="SELECT over the live tables and indexes"
          hint="it only reads"
          rows={5}
          placeholder={`SELECT * FROM ${table} WHERE …`}
          value={text}
          onChange={(event) => {
            const { value } = event.target
            useStatement.setState(({ texts }) => ({ texts: { ...texts, [application]: value } }))
          }}
        />
        {known.length > 0 ? (
          <div className={styles['fields']} ref={fields} data-fields>
            {known.map((parameter) => (
              <ParameterField
                key={parameter.name}
                parameter={parameter}
                value={valueOf(typed, parameter.name)}
                source={undefined}
                error={errorAt(refusal, parameter.name, valueOf(typed, parameter.name))}
                onChange={(value) => setTyped({ ...typed, [parameter.name]: value })}
                onFocus={ignore}
                onBlur={ignore}
              />
            ))}
          </div>
        ) : null}
        {last?.request.text === text && execution === null ? (
          <p className={styles['bound']} role="status">
            It has a bound of ≤ {plural(last.select.operations, 'operation')}. Give its parameters values to run it.
          </p>
        ) : null}
        <div className={styles['actions']}>
          <Button
            type="submit"
            look="primary"
            icon={<Play size={13} aria-hidden />}
            disabled={run.isPending || text.trim() === ''}
          >
            Run SELECT
          </Button>
          <SaveAsQuery text={text} />
          <Button look="quiet" onClick={onClose}>
            Back to the rows
          </Button>
        </div>
      </Form>
      {run.error && !refusal ? <Refused error={run.error} /> : null}
      {execution && !run.error ? (
        <Result
          answer={execution}
          page={answers.length}
          isPending={run.isPending}
          onNext={
            execution.cursor === null || !last
              ? null
              : () => send({ ...last.request, cursor: execution.cursor }, answers.length)
          }
          onPrevious={answers.length > 1 ? () => setAnswers(answers.slice(0, -1)) : null}
        />
      ) : null}
    </section>
  )
}

/** Why a SELECT was not run, with everything that the compiler says about it. */
function Refused({ error }: { error: Error }) {
  if (!(error instanceof ApiError) || error.diagnostics.length === 0) {
    return (
      <div className={styles['findings']}>
        <ErrorNotice error={error} />
      </div>
    )
  }
  return (
    <div className={styles['findings']}>
      {error.diagnostics.map(({ code, range, severity, message, help, fixes }) => (
        <Notice
          key={`${code} ${range.start}`}
          tone={severity === 'error' ? 'danger' : 'warning'}
          role={severity === 'error' ? 'alert' : 'status'}
          help={
            <ul className={styles['help']}>
              {help.map((sentence) => (
                <li key={sentence}>
                  <Prose text={sentence} />
                </li>
              ))}
              {fixes.map((fix) => (
                <li key={fix.title}>
                  <Prose text={[`Fix: ${fix.title}`, fix.consequence, fix.cost].filter(Boolean).join(' · ')} />
                </li>
              ))}
            </ul>
          }
        >
          <Prose text={message} /> <span className={styles['where']}>line {range.start_line}</span>
        </Notice>
      ))}
      {error.help ? <p className={styles['bound']}>{error.help}</p> : null}
    </div>
  )
}

/** Makes a file of the application with the statement as a query; nothing is deployed. */
function SaveAsQuery({ text }: { text: string }) {
  const { application } = useView()
  const [name, setName] = useState<string | null>(null)
  const save = useMutation({
    mutationFn: (query: string) => createFile(application, queryFile(query), queryText(query, text)),
    onSuccess: (_, query) => {
      setName(null)
      reveal({ file: queryFile(query), start_line: 1, start_column: 1, end_line: 1, end_column: 1 }, true)
    },
  })
  if (name === null) {
    return (
      <Button disabled={text.trim() === ''} onClick={() => setName('')}>
        Save as query…
      </Button>
    )
  }
  return (
    <span className={styles['naming']}>
      <TextField
        label="Name of the query"
        value={name}
        maxLength={60}
        error={save.error ? messageOf(save.error) : undefined}
        // The field was asked for by the button in its place.
        // oxlint-disable-next-line jsx-a11y/no-autofocus
        autoFocus
        onChange={(event) => setName(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return
          event.preventDefault() // the form around it runs the statement
          if (isName(name)) save.mutate(name)
        }}
      />
      <Button disabled={!isName(name) || save.isPending} onClick={() => save.mutate(name)}>
        Save the query
      </Button>
      <Button look="quiet" onClick={() => setName(null)}>
        Cancel
      </Button>
    </span>
  )
}

/** What stays known when a run was refused: the parameters, which keep their fields. */
function withoutRows({ request, select }: Answer): Answer {
  return { request, select: { ...select, execution: null } }
}

function isName(text: string): boolean {
  return /^[A-Za-z_]\w*$/.test(text)
}

function focusFirst(fields: HTMLElement | null): void {
  fields?.querySelector<HTMLElement>('input, select, textarea')?.focus()
}

function ignore(): void {
  // Nothing arrives late here that a field in use must be kept from.
}
