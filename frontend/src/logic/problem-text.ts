/** A problem as lines of text, to paste into a message or an issue, in the words of `piql check`. */

interface Start {
  file: string
  start_line: number
  start_column: number
}

interface Problem {
  code: string
  severity: string
  message: string
  range: Start
  help: readonly string[]
  allowed: string
  labels: readonly { range: Start; text: string }[]
}

/**
 *     error[unbounded-scan]: subscriptions of one owner: nothing limits how many there are
 *      --> queries/thoughtstream.piql:5:7
 *       = schema.piql:8:14: no CARDINALITY LIMIT on owner here
 *       = help: declare CARDINALITY LIMIT n (owner) in subscriptions
 */
export function problemText({ code, severity, message, range, help, allowed, labels }: Problem): string {
  return [
    `${severity}[${code}]: ${message}`,
    ` --> ${positionText(range)}`,
    ...labels.map((label) => `  = ${positionText(label.range)}: ${label.text}`),
    ...(allowed ? [`  = allowed: ${allowed}`] : help.map((line) => `  = help: ${line}`)),
  ].join('\n')
}

/** Several problems, with an empty line between them. */
export function problemsText(problems: readonly Problem[]): string {
  return problems.map(problemText).join('\n\n')
}

function positionText({ file, start_line, start_column }: Start): string {
  return `${file}:${start_line}:${start_column}`
}
