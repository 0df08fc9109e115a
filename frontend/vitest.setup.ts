// On a busy machine a page may change late. A test waits up to a minute for it; only a test that fails takes so long.
if ('document' in globalThis) {
  const { configure } = await import('@testing-library/react')
  configure({ asyncUtilTimeout: 60_000 })
}

export {} // without it the file is no module, and `await` is not allowed at its top
