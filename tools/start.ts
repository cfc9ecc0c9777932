/**
 * `npm start`: brings up what a fresh clone lacks (the built dashboard, the container engine),
 * then becomes the server. Quick when nothing has changed.
 */

import { join, resolve } from 'node:path';
import { buildDashboard } from './build-dashboard.ts';
import { ensureContainerEngine } from './containers/setup.ts';
import { keepDemoRegistry } from './demo/keep-registry.ts';

const log = (line: string) => console.log(line);
await buildDashboard({ log });
if (process.env.LOCAL_WORKER !== 'off') {
  const report = await ensureContainerEngine({ install: true, log });
  if (!report.ready) {
    log(`Containers cannot run here: ${report.problem}`);
    if (report.remedy) log(`To run workflows on this machine: ${report.remedy}`);
    log('The server starts without a local worker; workers on other machines can enrol.');
    process.env.LOCAL_WORKER = 'off';
  }
}
process.argv[2] ??= 'serve';
if (process.argv[2] === 'serve') {
  await keepDemoRegistry(
    resolve(join(import.meta.dirname, '..'), process.env.DATA_DIR || 'data'),
    log,
  );
}
await import('../server/src/main.ts');
