// What a test waits for in a page comes late on a busy machine: only a failure takes so long.
if ('document' in globalThis) {
  const { configure } = await import('@testing-library/react')
  configure({ asyncUtilTimeout: 60_000 })
}

export {}
