// How the front end is built, served for development, and tested.
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress } from 'node:zlib'
import react from '@vitejs/plugin-react'
import type { Plugin } from 'vite'
import { defineConfig } from 'vitest/config'

// The back end that `npm run dev` talks to; `make run` serves the built files from the back end itself.
const backend = process.env['PIQL_BACKEND'] ?? 'http://127.0.0.1:8400'

export default defineConfig({
  plugins: [react(), brotliBesideAssets()],
  // The back end replaces this text in each answer by a new nonce, which it also puts into the Content Security Policy.
  html: { cspNonce: '__CSP_NONCE__' },
  worker: { format: 'es' },
  experimental: {
    // Files name each other relative to themselves. The page names them from `/`, before which the back end puts the path
    // that a proxy adds.
    renderBuiltUrl: (file, { hostType }) => (hostType === 'html' ? `/${file}` : { relative: true }),
  },
  build: {
    target: 'es2022',
    chunkSizeWarningLimit: 4000,
  },
  server: { host: '127.0.0.1', proxy: { '/api': backend } },
  preview: { host: '127.0.0.1', proxy: { '/api': backend } },
  test: {
    environment: 'node',
    setupFiles: ['vitest.setup.ts'],
    // Long, because a busy machine is slow; only a test that hangs takes so long.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    environmentOptions: { happyDOM: { url: 'http://localhost/' } },
    include: ['src/**/*.test.ts', 'src/**/*.test.tsx'],
  },
})

const compress = promisify(brotliCompress)

/**
 * Writes `<name>.br` beside each asset that is much smaller so; the back end sends it to browsers that take it. A build
 * has the time that an answer has not.
 */
function brotliBesideAssets(): Plugin {
  return {
    name: 'brotli-beside-assets',
    apply: 'build',
    async closeBundle() {
      const folder = join(import.meta.dirname, 'dist', 'assets')
      const names = (await readdir(folder)).filter((name) => /\.(js|css|ttf)$/.test(name))
      await Promise.all(
        names.map(async (name) => {
          const body = await readFile(join(folder, name))
          if (body.length > 1000) await writeFile(join(folder, `${name}.br`), await compress(body))
        }),
      )
    },
  }
}
