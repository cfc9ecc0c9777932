import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';
import type { InlineConfig } from 'vitest/node';
import { texts } from '../tools/texts/plugin.ts';
import { chunkFileNames, chunks } from './chunks.ts';

/** The server for `npm run dev`: Vite serves the page, this server everything else. */
const server = process.env.COGWORKS_URL ?? 'http://127.0.0.1:8080';

const units = 'src/**/*.test.ts';
/** Tests that replace a module, a global object or the clock, which others would meet in their process. */
const replacing = globSync(units, { cwd: import.meta.dirname }).filter((file) =>
  /\bvi\.(mock|stubGlobal|useFakeTimers)\(/.test(
    readFileSync(join(import.meta.dirname, file), 'utf8'),
  ),
);

function unitTests(name: string, test: InlineConfig) {
  return {
    extends: true as const,
    test: { name, include: [units], environment: 'node' as const, testTimeout: 30_000, ...test },
  };
}

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
    // Of which tools/dashboard-sizes.ts reads what each screen needs.
    manifest: true,
    rolldownOptions: { output: { chunkFileNames, codeSplitting: { groups: chunks } } },
  },
  server: {
    proxy: { '^/(?!app/)': { target: server } },
  },
  test: {
    projects: [
      // A process for each of these took three times as long as the tests.
      unitTests('pure', { exclude: replacing, isolate: false }),
      unitTests('replacing', { include: replacing }),
    ],
  },
});
