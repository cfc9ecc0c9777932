import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';

/** A server of the platform, for `npm run dev`: the page comes from Vite, the rest from there. */
const server = process.env.COGWORKS_URL ?? 'http://127.0.0.1:8080';

export default defineConfig({
  base: '/app/',
  plugins: [react()],
  // The server puts a nonce of each answer in its place.
  html: { cspNonce: '__CSP_NONCE__' },
  build: {
    target: 'es2023',
    // Inlined assets would need `data:` in the page's policy.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 900,
  },
  server: {
    proxy: { '^/(?!app/)': { target: server } },
  },
  test: { include: ['src/**/*.test.ts'], environment: 'node' },
});
