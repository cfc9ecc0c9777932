/**
 * `npm start`: builds and installs what a fresh clone lacks (the dashboard, the container engine),
 * then runs the server. Fast if nothing has changed.
 */
import { join, resolve } from 'node:path';
import { buildDashboard } from './build-dashboard.ts';
import { ensureContainerEngine } from './containers/setup.ts';
import { keepDemoRegistry } from './demo/keep-registry.ts';

const log = (line: string) => console.log(line);
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

// Used until the server handles signals itself: no builder or package manager may keep running.
const ending = new AbortController();
const end = () => ending.abort();
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
for (const signal of signals) process.on(signal, end);
process.on('disconnect', end);

await prepare().catch((error: unknown) => {
  if (!ending.signal.aborted) throw error;
});
if (ending.signal.aborted) process.exit(130);
for (const signal of signals) process.off(signal, end);
process.off('disconnect', end);

process.argv[2] ??= 'serve';
if (process.argv[2] === 'serve') {
  const root = join(import.meta.dirname, '..');
  await keepDemoRegistry(resolve(root, process.env.DATA_DIR || 'data'), log);
}
await import('../server/src/main.ts');

async function prepare() {
  await buildDashboard({ log, signal: ending.signal });
  if (process.env.LOCAL_WORKER === 'off' || ending.signal.aborted) return;
  const report = await ensureContainerEngine({ install: true, log });
  if (report.ready) return;
  log(`Containers cannot run here: ${report.problem}`);
  if (report.remedy) log(`To run workflows on this machine: ${report.remedy}`);
  log('The server starts without a local worker; workers on other machines can enrol.');
  process.env.LOCAL_WORKER = 'off';
}
