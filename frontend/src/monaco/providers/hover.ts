/** The popup of a name: what it is, and for a query its bound. */
import { api } from '../../api/client'
import { rangeOf } from '../models'
import type { languages } from '../monaco'
import { questionAt, quietly } from './ask'

export const hover: languages.HoverProvider = {
  provideHover: async (model, position, token) => {
    const answer = await quietly(token, (signal) =>
      api.POST('/api/language/hovers', { body: questionAt(model, position), signal }),
    )
    return answer && { range: rangeOf(answer.range), contents: [{ value: answer.markdown }] }
  },
}
