import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';
import { texts } from '../tools/texts/plugin.ts';

/** The server for `npm run dev`: Vite serves the page, this server everything else. */
const server = process.env.COGWORKS_URL ?? 'http://127.0.0.1:8080';

export default defineConfig({
  base: '/app/',
  plugins: [texts(), react()],
  // The server replaces it by a nonce in each answer.
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
