/** Links in hovers that lead to a part of the workbench: from a finding to the page of its code. */
import { setView } from '../app/url-state'
import { editor, Uri } from './monaco'

const SCHEME = 'piql-code'

export function linkToCode(code: string): Uri {
  return Uri.from({ scheme: SCHEME, path: `/${code}` })
}

export function registerLinks(): void {
  editor.registerLinkOpener({
    open: (resource) => {
      if (resource.scheme !== SCHEME) return false
      setView({ code: resource.path.slice(1) })
      return true
    },
  })
}
