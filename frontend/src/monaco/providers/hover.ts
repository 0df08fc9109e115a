/** What a name is, and for a query its bound. */
import { api } from '../../api/client'
import { rangeOf } from '../models'
import type { languages } from '../monaco'
import { placeOf, quietly } from './ask'

export const hover: languages.HoverProvider = {
  provideHover: async (model, position, token) => {
    const found = await quietly(token, (signal) =>
      api.POST('/api/language/hovers', { body: placeOf(model, position), signal }),
    )
    return found && { range: rangeOf(found.range), contents: [{ value: found.markdown }] }
  },
}
