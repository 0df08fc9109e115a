/** A bare SELECT as a query of an application: the file that it gets, and the text in it. */

export function queryFile(name: string): string {
  return `queries/${name}.piql`
}

/** `CREATE QUERY name AS`, and the statement with one semicolon at its end. */
export function queryText(name: string, statement: string): string {
  return `CREATE QUERY ${name} AS\n${statement.trim().replace(/(\s*;)+$/, '')};\n`
}
