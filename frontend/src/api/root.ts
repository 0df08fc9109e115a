/**
 * Where the workbench is below its origin: at `/`, or at what a proxy puts before all paths, such as `/piql/`. The page
 * says so in `<meta name="root">`, which the server fills in.
 */
const ROOT =
  typeof document === 'undefined' ? '' : rootOf(document.querySelector<HTMLMetaElement>('meta[name="root"]')?.content)

/** The root as the page names it, without the slash at its end. */
export function rootOf(content = '/'): string {
  return content.replace(/\/+$/, '')
}

/** A path of the workbench, such as `/api/health`, as the browser has to ask for it. */
export function belowRoot(path: string, root = ROOT): string {
  return root + path
}

/** The path of the workbench that an address of the browser has. */
export function withoutRoot(pathname: string, root = ROOT): string {
  return `${pathname}/`.startsWith(`${root}/`) ? pathname.slice(root.length) || '/' : pathname
}
