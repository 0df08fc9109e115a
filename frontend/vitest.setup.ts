// Runs before each test file: a test of a page waits up to a minute for a change, because a busy machine is slow.
if ('document' in globalThis) {
  const { configure } = await import('@testing-library/react')
  configure({ asyncUtilTimeout: 60_000 })
}

export {} // makes the file a module, in which `await` is allowed at the top level
