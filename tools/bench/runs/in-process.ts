/**
 * The engine without HTTP: the functions behind the routes, called in a process of its own on the
 * server's database. Says what part of a node run is the protocol's.
 */
import { pino } from 'pino';
import type { Caller } from '../../../server/src/callers.ts';
import { readConfig } from '../../../server/src/config.ts';
import type { ConnectTo } from '../../../server/src/db/connection.ts';
import { openPools } from '../../../server/src/db/pools.ts';
import { openKeys } from '../../../server/src/keys/keys.ts';
import { type AttemptReport, exchange } from '../../../server/src/resources/workers/protocol.ts';
import { enrollWorkerOf } from '../../../server/src/resources/workers/workers.ts';
import { prepareStart } from '../../../server/src/resources/workflow-runs/start.ts';
import { openGraphThreads } from '../../../server/src/resources/workflows/graph-bodies.ts';
import { makeServices } from '../../../server/src/roles/parts.ts';
import type { Services } from '../../../server/src/services.ts';
import { atOnce, type Rates } from '../measure.ts';
import { answerTasks } from '../processes.ts';
import { lastNodes } from './graphs.ts';
import { capacity } from './workers.ts';

export type InProcessTask =
  | { task: 'open'; dir: string; to: ConnectTo; workers: number; max: number }
  | { task: 'fans'; users: number; seconds: number; warm: number }
  | { task: 'close' };

export type Done = { started: number; acknowledged: number };

let startFan: () => Promise<number>;
/** Has the workers work until it is told to stop. */
let workUntil: (stop: AbortSignal) => Promise<unknown>;
let started = 0;
let acknowledged = 0;
const ended = new Map<number, () => void>();
const early = new Set<number>();

answerTasks(async (task: InProcessTask): Promise<unknown> => {
  if (task.task === 'open') return open(task);
  if (task.task === 'close') return { started, acknowledged } satisfies Done;
  return fans(task);
});

async function open({ dir, to, workers, max }: InProcessTask & { task: 'open' }): Promise<void> {
  const config = readConfig({ DATA_DIR: dir });
  const pools = openPools(to);
  const keys = await openKeys(config, pools.db);
  const log = pino({ level: 'warn' });
  const baseUrl = () => 'http://127.0.0.1';
  const services = await makeServices({ config, pools, keys, log, baseUrl });
  const [found] = await pools.db<{ caller: Caller; version: number; cog_ids: number[] }[]>`
    select
      jsonb_build_object(
        'user_id', created_by, 'tenant_id', tenant_id, 'role', 'admin', 'is_platform_admin', true
      ) as caller,
      latest_version_id as version,
      array(
        select file.id from cogs as file
        join cogs as folder on folder.tenant_id = file.tenant_id and folder.id = file.parent_id
        where folder.name = 'Inputs' and file.tenant_id = workflows.tenant_id
        order by file.id
      ) as cog_ids
    from workflows
    where name = 'Fan'
  `;
  if (!found) throw new Error('There is no workflow to run.');
  const { caller, version, cog_ids } = found;
  const threads = openGraphThreads();
  startFan = async () => {
    const start = await prepareStart(services, threads, caller, version, { cog_ids });
    return (await start(services.db, { isAlone: true, hasTurn: false })).workflow_run_id;
  };
  const ids: number[] = [];
  for (let place = 0; place < workers; place += 1) {
    const worker = { name: `inside ${place}`, capacity, version: '1' };
    ids.push((await enrollWorkerOf(services.db, caller, worker)).id);
  }
  workUntil = (stop) => Promise.all(ids.map((id) => work(services, id, max, stop)));
}

/** What was done last is reported by the call that asks for the next. */
async function work(services: Services, id: number, max: number, stop: AbortSignal): Promise<void> {
  let reports: AttemptReport[] = [];
  let nodes: { run_id: number; node_key: string }[] = [];
  while (!stop.aborted) {
    const wanted = { reports, free: capacity, max, wait_seconds: 5 };
    const { accepted, orders } = await exchange(services, { id, epoch: undefined }, wanted, stop);
    for (const [at, { result }] of accepted.entries()) {
      if (result !== 'ok') throw new Error(`A report was refused: ${result}`);
      acknowledged += 1;
      const node = nodes[at];
      if (node && lastNodes.has(node.node_key)) end(node.run_id);
    }
    nodes = orders;
    reports = orders.map(({ attempt_id, lease_token }) => {
      return { attempt_id, lease_token, status: 'success', exit_code: 0, outputs: [] };
    });
  }
}

function end(runId: number) {
  const tell = ended.get(runId);
  ended.delete(runId);
  if (tell) tell();
  else early.add(runId);
}

async function run(): Promise<void> {
  const id = await startFan();
  started += 1;
  // The last report may have been accepted before the start was answered.
  if (early.delete(id)) return;
  await new Promise<void>((resolve) => void ended.set(id, resolve));
}

async function fans({ users, seconds, warm }: InProcessTask & { task: 'fans' }): Promise<Rates> {
  const stop = new AbortController();
  const working = workUntil(stop.signal);
  const rates = await atOnce(run, { loops: users, seconds, warm }, () => acknowledged);
  stop.abort();
  await working;
  return rates;
}
