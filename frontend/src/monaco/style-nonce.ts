/**
 * Gives every new style element the page's nonce. Monaco creates style elements for its theme, and the Content Security
 * Policy only allows those with the nonce. Must be imported before Monaco.
 */
const nonce = document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce
const createElement = document.createElement.bind(document)

document.createElement = (name: string, options?: ElementCreationOptions): HTMLElement => {
  const element = createElement(name, options)
  if (nonce !== undefined && element instanceof HTMLStyleElement) element.nonce = nonce
  return element
}
