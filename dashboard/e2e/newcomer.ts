/**
 * An installation that nobody has used: with real containers if they can run here, else with a
 * worker that follows a script.
 */
import type { ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { keepShippedTemplates } from '../../server/src/resources/workflow-templates/shipped/shipped.ts';
import { setUpFirstAdmin } from '../../server/src/roles/first-start.ts';
import { killAll } from '../../server/test/faults/processes.ts';
import { ended, serverEnvironment, spawnServer } from '../../server/test/installation.ts';
import { storeTextImage } from '../../server/test/platform-images.ts';
import { startServer } from '../../server/test/server.ts';
import { until } from '../../server/test/until.ts';
import { scriptedWorker } from '../../server/test/worker.ts';
import { ensureTestTools } from '../../tools/containers/setup.ts';
import { removeEngine } from '../../worker/src/containers/engine.ts';

export type Newcomer = {
  /** Where the terminal says that one signs in. */
  address: string;
  /** As printed by the first start. */
  password: string;
  /** What becomes of runs: nothing to do for containers. */
  work: () => Promise<unknown>;
  isReal: boolean;
};

export async function newcomer(t: TestContext): Promise<Newcomer> {
  const tools = await ensureTestTools({ install: false, log: () => {} });
  return tools.ready ? realInstallation(t) : scriptedInstallation(t);
}

async function realInstallation(t: TestContext): Promise<Newcomer> {
  const folder = await mkdtemp(join(tmpdir(), 'cogworks-newcomer-'));
  const dir = join(folder, 'data');
  const lines: string[] = [];
  const server: ChildProcess = spawnServer({ ...serverEnvironment(dir), PORT: '0' }, lines);
  t.after(async () => {
    await ended(server, 'SIGINT');
    await killAll(dir);
    // Without root only podman can delete the store of images.
    await removeEngine({ state_dir: join(dir, 'worker/containers'), installation: 'newcomer' });
    await rm(folder, { recursive: true, force: true });
  });
  const said = (pattern: RegExp) =>
    until(`the server says ${pattern}`, () => pattern.exec(lines.join('\n'))?.[1]);
  const address = await said(/Sign in at +(\S+)/);
  const password = await said(/Password +(\S+)/);
  await said(/(takes work|Containers cannot run here)/);
  return { address, password, work: async () => undefined, isReal: true };
}

async function scriptedInstallation(t: TestContext): Promise<Newcomer> {
  const server = await startServer();
  const { config, db, keys } = server.services;
  await keepShippedTemplates(db);
  await storeTextImage(server);
  const admin = await setUpFirstAdmin({ ...config, admin_email: 'admin@localhost' }, db, keys);
  const [user] = await db<{ tenant_id: number }[]>`
    select tenant_id from users where email = 'admin@localhost'
  `;
  const worker = await scriptedWorker(server, user?.tenant_id ?? 0);
  // One that has not been heard of for seconds counts as away.
  const beat = setInterval(() => void worker.heartbeat(), 1000);
  t.after(() => clearInterval(beat));
  // Of the three samples the last one is damaged.
  const work = () =>
    worker.work((order) =>
      order.node_key === 'count' && order.shard_index === 2
        ? worker.fail(order)
        : worker.succeed(order, [
            { port: order.node_key === 'count' ? 'counts' : 'table', name: 'a.csv', text: 'words' },
          ]),
    );
  return {
    address: `${server.url}/app/?email=admin@localhost`,
    ...{ password: admin?.password ?? '', work, isReal: false },
  };
}
