/** Style elements carry the page's nonce: Monaco makes some for its theme, and the content security policy lets no
 * others in. */
const nonce = document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce
const createElement = document.createElement.bind(document)

document.createElement = (name: string, options?: ElementCreationOptions): HTMLElement => {
  const element = createElement(name, options)
  if (nonce !== undefined && element instanceof HTMLStyleElement) element.nonce = nonce
  return element
}
