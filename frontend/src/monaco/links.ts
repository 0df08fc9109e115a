/** Links in Monaco's popups that open the page of a diagnostic code. */
import { setView } from '../app/url-state'
import { editor, Uri } from './monaco'

const SCHEME = 'piql-code'

export function linkToCode(code: string): Uri {
  return Uri.from({ scheme: SCHEME, path: `/${code}` })
}

/** Lets Monaco open such links in this page; to be called once. */
export function registerLinks(): void {
  editor.registerLinkOpener({
    open: (resource) => {
      if (resource.scheme !== SCHEME) return false
      setView({ code: resource.path.slice(1) })
      return true
    },
  })
}
