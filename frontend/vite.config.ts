// How the front end is built, served for development, and tested.
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vitest/config'

// The back end that `npm run dev` talks to; `make run` serves the built files from the back end itself.
const backend = process.env['PIQL_BACKEND'] ?? 'http://127.0.0.1:8400'

export default defineConfig({
  plugins: [react()],
  // The back end replaces this text in each answer by a new nonce, which it also puts into the Content Security Policy.
  html: { cspNonce: '__CSP_NONCE__' },
  worker: { format: 'es' },
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
