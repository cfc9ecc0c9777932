/**
 * A worker on this machine:
 *
 *     COGWORKS_URL=https://… COGWORKS_ENROLLMENT_TOKEN=wet_… npm run worker
 *
 * The token is needed for the first start only. Ctrl-C gives running work back and ends.
 */
import { mkdir, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { startAgent } from './agent.ts';
import { machineCapacity } from './capacity.ts';
import { openEngine } from './containers/engine.ts';
import { stderrLog } from './log.ts';

const { env } = process;
const baseUrl = env.COGWORKS_URL;
if (!baseUrl) {
  console.error('COGWORKS_URL must be set: the URL of the Cogworks server.');
  process.exit(2);
}
const stateDir = resolve(env.COGWORKS_WORKER_DIR || 'data/worker');
await mkdir(stateDir, { recursive: true, mode: 0o700 });
// Folders of attempts that an earlier, killed worker left.
await rm(resolve(stateDir, 'attempts'), { recursive: true, force: true });
await mkdir(resolve(stateDir, 'attempts'), { mode: 0o700 });

const { report, engine } = await openEngine({
  state_dir: resolve(stateDir, 'containers'),
  installation: env.COGWORKS_INSTALLATION || `worker-${hostname()}`,
});
for (const warning of report.warnings) stderrLog('warn', warning);
if (!engine) {
  console.error(`Containers cannot run here: ${report.problem}`);
  if (report.remedy) console.error(`What usually helps: ${report.remedy}`);
  process.exit(3);
}
// What an earlier, killed worker of this installation left running holds nothing any more.
const removed = await engine.removeLeftovers([]);
if (removed.length > 0) stderrLog('info', 'removed leftover containers', { removed });

const agent = await startAgent({
  baseUrl,
  enrollmentToken: env.COGWORKS_ENROLLMENT_TOKEN || undefined,
  name: env.COGWORKS_WORKER_NAME || hostname(),
  labels: (env.COGWORKS_WORKER_LABELS ?? '').split(',').filter(Boolean),
  capacity: machineCapacity(stateDir),
  stateDir,
  engine,
  log: stderrLog,
});
stderrLog('info', 'the worker takes work', { engine: `${report.kind} ${report.version}` });
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => agent.stop());
// A local worker whose server was killed ends as well, instead of asking a dead port for ever.
if (env.COGWORKS_PARENT_PIPE === 'stdin')
  process.stdin
    .resume()
    .once('end', () => agent.stop())
    .once('close', () => agent.stop());
await agent.done;
process.exit(0);
