import react from '@vitejs/plugin-react'
import { defineConfig } from 'vitest/config'

// The back end that `npm run dev` talks to; `make run` serves the built files from the back end itself.
const backend = process.env['PIQL_BACKEND'] ?? 'http://127.0.0.1:8400'

export default defineConfig({
  plugins: [react()],
  // The back end puts a nonce of each answer's own in its place, and into the page's content security policy.
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
    // Only what hangs takes so long; a busy machine is slow.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    environmentOptions: { happyDOM: { url: 'http://localhost/' } },
    include: ['src/**/*.test.ts', 'src/**/*.test.tsx'],
  },
})
