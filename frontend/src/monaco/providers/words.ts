/**
 * What the server says of a whole file, the meaning of its words and what can be folded: one question for both. Monaco
 * asks for each by itself, and for the words again after each compilation; while all texts are the same, so is the answer.
 */
import { answered, api } from '../../api/client'
import type { SourceFile, Tokens } from '../../api/types'
import type { CancellationToken } from '../monaco'

interface Question {
  files: readonly SourceFile[]
  answer: Promise<Tokens | null>
  abort: AbortController
  /** How many wait for the answer; once nobody does, it is given up. */
  waiting: number
}

/** The last question about each file. */
const questions = new Map<string, Question>()

/** The answer; null if Monaco no longer wants it or the request fails. */
export async function wordsOf(
  file: string,
  files: readonly SourceFile[],
  token: CancellationToken,
): Promise<Tokens | null> {
  const known = questions.get(file)
  const question = known && isSame(known.files, files) ? known : ask(file, files)
  question.waiting += 1
  let hasLeft = false
  const stop = token.onCancellationRequested(() => {
    hasLeft = true
    question.waiting -= 1
    if (question.waiting === 0) question.abort.abort()
  })
  try {
    const answer = await question.answer
    return hasLeft ? null : answer
  } finally {
    stop.dispose()
    if (!hasLeft) question.waiting -= 1
  }
}

/** Whether the last question about a file is of these texts. */
export function isAsked(file: string, files: readonly SourceFile[]): boolean {
  return isSame(questions.get(file)?.files ?? [], files)
}

function ask(file: string, files: readonly SourceFile[]): Question {
  const abort = new AbortController()
  const body = { files: [...files], file }
  const answer = answered(api.POST('/api/language/tokens', { body, signal: abort.signal })).catch(() => {
    if (questions.get(file) === question) questions.delete(file)
    return null
  })
  const question: Question = { files, answer, abort, waiting: 0 }
  abort.signal.addEventListener('abort', () => {
    if (questions.get(file) === question) questions.delete(file)
  })
  questions.set(file, question)
  return question
}

function isSame(files: readonly SourceFile[], others: readonly SourceFile[]): boolean {
  return (
    files.length === others.length &&
    files.every(({ path, text }, index) => path === others[index]?.path && text === others[index].text)
  )
}
