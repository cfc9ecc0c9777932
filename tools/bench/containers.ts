/**
 * One container step that does nothing, from the call that starts the run to its end, beside the same
 * image run by Podman alone with the same limits. The image comes from a registry with a password,
 * as everywhere, and is there already when it is measured.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Client, createClient } from '@cogworks/sdk/client';
import { followRun } from '@cogworks/sdk/events';
import { removeEngine } from '../../worker/src/containers/engine.ts';
import { pidsLimit } from '../../worker/src/containers/run-arguments.ts';
import { busyboxImage, pushImage } from '../containers/images.ts';
import { type Registry, startRegistry } from '../containers/registry.ts';
import { ensureTestTools } from '../containers/setup.ts';
import { stopInAnyCase } from './cleanup.ts';
import type { Figure, PartResult } from './figures.ts';
import { type Api, apiOf } from './http.ts';
import { alone, lookAround, type Moment, quantile } from './measure.ts';
import type { Options } from './options.ts';
import { signInAsAdmin, startBenchServer } from './server.ts';

const resources = { cpu: 1, memory_mb: 64, gpu: 0, disk_mb: 64 };

export async function containers(options: Options): Promise<PartResult> {
  const tools = await ensureTestTools({ install: false, log: console.log });
  if (!tools.ready) return unusable(tools.problem ?? '');
  const folder = await mkdtemp(join(tmpdir(), 'cogworks-bench-'));
  const bare = await openBarePodman(join(folder, 'podman'));
  const remove = stopInAnyCase(async () => {
    await bare.remove();
    await rm(folder, { recursive: true, force: true });
  });
  try {
    await bare.run();
  } catch (error) {
    await remove();
    return unusable(String(error));
  }
  const registry = await startRegistry({ folder: join(folder, 'registry') });
  try {
    return { figures: [figureOf(await takenWith(options, registry, bare.run))] };
  } finally {
    await registry.stop();
    await remove();
  }
}

type Taken = { moment: Moment; own: number; podman: number };

async function takenWith(
  { checkout, rounds, seconds }: Options,
  registry: Registry,
  runBare: () => Promise<void>,
): Promise<Taken[]> {
  let installation = '';
  const server = await startBenchServer(checkout, {
    env: { LOCAL_WORKER: 'on' },
    beforeRemoval: (dir) =>
      removeEngine({ state_dir: join(dir, 'worker/containers'), installation }),
  });
  try {
    const [row] = await server.db<{ id: string }[]>`select installation_id as id from installation`;
    installation = row?.id ?? '';
    const token = await signInAsAdmin(server);
    const api = apiOf(server.url, token);
    const client = createClient({ baseUrl: server.url, token: () => token });
    await untilWorkerTakesWork(api);
    const version = await makeStep(api, registry);
    // The first one pulls the image.
    await runOnce(client, version);
    const taken: Taken[] = [];
    for (let number = 1; number <= rounds; number += 1) {
      const moment = await lookAround();
      const own = quantile(await alone(() => runOnce(client, version), seconds), 0.5);
      const podman = quantile(await alone(runBare, seconds), 0.5);
      console.log(`  round ${number}: ${own.toFixed(0)} ms, podman alone ${podman.toFixed(0)} ms`);
      taken.push({ moment, own, podman });
    }
    return taken;
  } finally {
    await server.stop();
  }
}

const figureOf = (taken: Taken[]): Figure => ({
  what: 'container step, alone, p50',
  unit: 'ms',
  rounds: taken.map((one) => one.own),
  moments: taken.map((one) => one.moment),
  beside: [
    { what: 'podman run --rm', rounds: taken.map((one) => one.podman), goal: { at_most: 1.3 } },
  ],
});

const unusable = (why: string): PartResult => ({
  notes: [`not measured, Podman cannot be used here: ${why.trim().slice(0, 300)}`],
});

/** A store of its own with the small image in it. */
async function openBarePodman(folder: string) {
  const image = 'localhost/bench:1';
  const store = [
    ...['--root', join(folder, 'store'), '--runroot', join(folder, 'run')],
    ...['--tmpdir', join(folder, 'tmp'), '--storage-opt', 'overlay.skip_mount_home=true'],
  ];
  await call([...store, 'import', '--quiet', (await busyboxImage(console.log)).layer, image]);
  const { cpu, memory_mb, disk_mb } = resources;
  const limits = [
    ...[`--memory=${memory_mb}m`, `--memory-swap=${memory_mb}m`, `--cpus=${cpu}`],
    ...[`--pids-limit=${pidsLimit(cpu)}`, '--ulimit=nofile=1024:1024', '--ulimit=nproc=4096:4096'],
    ...[`--ulimit=fsize=${disk_mb * 1024 * 1024}`, '--ulimit=core=0'],
    ...['--network=none', '--read-only', '--cap-drop=ALL', '--security-opt=no-new-privileges'],
    ...['--user=65534:65534', '--init', '--log-driver=none'],
  ];
  return {
    run: () => call([...store, 'run', '--rm', '--pull=never', ...limits, image, '/bin/true']),
    remove: async () => {
      await call([...store, 'rmi', '--force', image]).catch(() => undefined);
    },
  };
}

async function call(args: string[]): Promise<void> {
  const child = spawn('podman', args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const exited = once(child, 'exit');
  exited.catch(() => undefined);
  let said = '';
  for await (const text of child.stderr.setEncoding('utf8')) said += text;
  const [code] = await exited;
  if (code !== 0) throw new Error(`podman ended with ${code}: ${said}`);
}

async function untilWorkerTakesWork(api: Api): Promise<void> {
  const deadline = performance.now() + 30_000;
  while (performance.now() < deadline) {
    const workers: { status: string }[] = await api('GET', '/workers');
    if (workers.some(({ status }) => status === 'online')) return;
    await delay(200);
  }
  throw new Error('The local worker does not take work.');
}

async function makeStep(api: Api, registry: Registry): Promise<number> {
  const { server, credentials } = registry;
  await pushImage(await busyboxImage(), { server, repository: 'bench', tag: '1' }, credentials);
  const value = { server, ...credentials };
  await api('POST', '/secrets/', { name: 'REGISTRY', kind: 'registry', value });
  const { id } = await api('POST', '/node_definitions/', {
    name: 'true',
    version: '1',
    image: `${server}/bench:1`,
    command: ['/bin/true'],
    inputs: [],
    outputs: [{ name: 'out', glob: '*', cardinality: 'many' }],
    resources,
  });
  const graph = {
    nodes: [{ key: 'step', node_definition_id: id, params: {} }],
    edges: [],
    inputs: [],
    variables: [],
  };
  return (await api('POST', '/workflows/', { name: 'Step', graph })).latest_version_id;
}

/** Follows the run by its events, as the dashboard and the command line do. */
async function runOnce(client: Client, version: number): Promise<void> {
  const path = { version_id: version };
  const { workflow_run_id } = await client.startRun({ path, body: { cog_ids: [] } });
  let status = '';
  for await (const { event, data } of followRun(client, workflow_run_id)) {
    if (event === 'run') status = data.status;
  }
  if (status !== 'success') throw new Error(`The run ended with ${status}.`);
}
