import { useEffect, useState } from 'react'
import { answered, api } from '../../api/client'
import type { SchemaEdit } from '../../api/types'
import { sourceFiles, useDocuments } from '../../documents/documents'
import { changeOf, isIncomplete, type SchemaForm } from '../../logic/schema-form'

interface Answer {
  /** The version of the texts, and the form, that the answer belongs to. */
  version: number
  form: SchemaForm
  edit: SchemaEdit | null
  error: unknown
}

/** The time without a key after which the server is asked. */
const PAUSE_MS = 120

/**
 * Asks the server for the edits that make a form's change in the present texts, compiled. `edit` is null for an
 * incomplete form. `isCurrent` is false until the answer to the last change of the form has come.
 */
export function useSchemaEdit(form: SchemaForm): { edit: SchemaEdit | null; error: unknown; isCurrent: boolean } {
  const version = useDocuments((state) => state.version)
  const [answer, setAnswer] = useState<Answer | null>(null)
  useEffect(() => {
    const request = new AbortController()
    const settle = (edit: SchemaEdit | null, error: unknown) => {
      if (!request.signal.aborted) setAnswer({ version, form, edit, error })
    }
    const ask = async () => {
      if (isIncomplete(form)) {
        settle(null, null)
        return
      }
      try {
        const body = { files: sourceFiles(), change: changeOf(form) }
        settle(await answered(api.POST('/api/language/schema-edits', { body, signal: request.signal })), null)
      } catch (error) {
        settle(null, error)
      }
    }
    const timer = setTimeout(() => void ask(), PAUSE_MS)
    return () => {
      clearTimeout(timer)
      request.abort()
    }
  }, [form, version])
  const isCurrent = answer !== null && answer.version === version && answer.form === form
  return { edit: answer?.edit ?? null, error: answer?.error ?? null, isCurrent }
}
