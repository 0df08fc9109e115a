/** A finding as lines of text, for a message or an issue, worded like `piql check`. */

interface Place {
  file: string
  start_line: number
  start_column: number
}

interface Finding {
  code: string
  severity: string
  message: string
  range: Place
  help: readonly string[]
  labels: readonly { range: Place; text: string }[]
}

/**
 *     error[unbounded-scan]: subscriptions of one owner: nothing limits how many there are
 *      --> queries/thoughtstream.piql:5:7
 *       = schema.piql:8:14: no CARDINALITY LIMIT on owner here
 *       = help: declare CARDINALITY LIMIT n (owner) in subscriptions
 */
export function problemText({ code, severity, message, range, help, labels }: Finding): string {
  return [
    `${severity}[${code}]: ${message}`,
    ` --> ${place(range)}`,
    ...labels.map((label) => `  = ${place(label.range)}: ${label.text}`),
    ...help.map((line) => `  = help: ${line}`),
  ].join('\n')
}

export function problemsText(findings: readonly Finding[]): string {
  return findings.map(problemText).join('\n\n')
}

function place({ file, start_line, start_column }: Place): string {
  return `${file}:${start_line}:${start_column}`
}
