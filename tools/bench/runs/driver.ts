/** The user and the workers of one server, as a process: starts runs, and works until they have ended. */
import { setTimeout as delay } from 'node:timers/promises';
import { type Api, apiOf, send, uploadForm } from '../http.ts';
import { alone, atOnce, type Rates } from '../measure.ts';
import { answerTasks } from '../processes.ts';
import { type Graphs, lastNodes, makeGraphs } from './graphs.ts';
import { startWorkers, type Workers } from './workers.ts';

export type RunsTask =
  | ({ task: 'open'; url: string; workers: number; max: number; files: number } & Tokens)
  | { task: 'alone'; graph: keyof Graphs; seconds: number; warm: number }
  | { task: 'at once'; graph: keyof Graphs; users: number; seconds: number; warm: number }
  /** One run over these, for at most so long; then it is left as it is. */
  | { task: 'one'; cog_ids: number[]; most_s: number }
  | { task: 'rest'; isResting: boolean }
  | { task: 'close' };

/** `token` of an admin; `members` start runs too when many are started at once. */
type Tokens = { token: string; members: string[] };

export type OneRun = { run_id: number; took_s: number; reports: number; has_ended: boolean };

export type Closed = {
  started: number;
  acknowledged: number;
  troubles: [what: string, times: number][];
  largest: { path: string; bytes: number };
};

const patience_s = 120;

let api: Api;
/** The admin and the members, in turn. */
let users: Api[];
let graphs: Graphs;
let workers: Workers;
let cogIds: number[] = [];
let asked = 0;
let started = 0;
const largest = { path: '', bytes: 0 };
const ended = new Set<number>();
const waiting = new Map<number, () => void>();

answerTasks(async (task: RunsTask): Promise<unknown> => {
  switch (task.task) {
    case 'open':
      return open(task);
    case 'alone':
      await alone(() => run(task.graph), task.warm);
      return alone(() => run(task.graph), task.seconds);
    case 'at once':
      return atOnceRates(task);
    case 'one':
      return one(task.cog_ids, task.most_s);
    case 'rest':
      return workers.rest(task.isResting);
    case 'close':
      return close();
  }
});

async function open(task: RunsTask & { task: 'open' }): Promise<void> {
  const { url, token } = task;
  const apiWith = (bearer: string) => apiOf(url, bearer, noteSize);
  api = apiWith(token);
  users = [api, ...task.members.map(apiWith)];
  graphs = await makeGraphs(api);
  cogIds = await upload(url, token, task.files);
  workers = await startWorkers({
    api,
    apiWith,
    count: task.workers,
    max: task.max,
    onDone: ({ run_id, node_key }) => {
      if (!lastNodes.has(node_key)) return;
      ended.add(run_id);
      waiting.get(run_id)?.();
    },
  });
}

function noteSize(path: string, bytes: number) {
  if (bytes > largest.bytes && path !== '/openapi.json') Object.assign(largest, { path, bytes });
}

async function upload(url: string, token: string, count: number): Promise<number[]> {
  const folder = await api('POST', '/cogs/', { name: 'Inputs', cog_type: 'asset_folder' });
  const ids: number[] = [];
  for (let place = 0; place < count; place += 1) {
    const { headers, body } = uploadForm(folder.id, `${place}.txt`, Buffer.from(`file ${place}\n`));
    const authorization = `Bearer ${token}`;
    const sent = { headers: { authorization, ...headers }, body };
    const answer = await send('POST', `${url}/cogs/upload-file`, sent);
    ids.push(JSON.parse(answer.toString()).id);
  }
  return ids;
}

async function start(graph: keyof Graphs, cog_ids: number[]): Promise<number> {
  const path = `/workflows/workflow-versions/${graphs[graph]}/run`;
  // Files are the admin's own.
  const user = cog_ids.length > 0 ? api : (users[asked % users.length] ?? api);
  asked += 1;
  const { workflow_run_id } = await user('POST', path, { cog_ids });
  started += 1;
  return workflow_run_id;
}

async function run(graph: keyof Graphs): Promise<void> {
  const id = await start(graph, graph === 'fan' ? cogIds : []);
  if (!(await endOf(id, patience_s)))
    throw new Error(`Run ${id} has not ended in ${patience_s} s.`);
}

/** @returns whether it ended in time. */
async function endOf(id: number, most_s: number): Promise<boolean> {
  const timer = new AbortController();
  const { signal } = timer;
  const end = new Promise<boolean>((resolve) => waiting.set(id, () => resolve(true)));
  const late = delay(most_s * 1000, false, { signal }).catch(() => false);
  // The last report may have been accepted before the start was answered.
  const isOver = ended.has(id) || (await Promise.race([end, late]));
  timer.abort();
  waiting.delete(id);
  ended.delete(id);
  return isOver;
}

function atOnceRates({
  graph,
  users,
  seconds,
  warm,
}: RunsTask & { task: 'at once' }): Promise<Rates> {
  return atOnce(
    () => run(graph),
    { loops: users, seconds, warm },
    () => workers.acknowledged,
  );
}

async function one(cog_ids: number[], most_s: number): Promise<OneRun> {
  const before = workers.acknowledged;
  const began = performance.now();
  const run_id = await start('wide', cog_ids);
  const teller = setInterval(() => tell(workers.acknowledged - before, began), 15_000);
  const has_ended = await endOf(run_id, most_s);
  clearInterval(teller);
  const took_s = (performance.now() - began) / 1000;
  return { run_id, took_s, reports: workers.acknowledged - before, has_ended };
}

const tell = (reports: number, began: number) =>
  console.log(`  ${reports} node runs in ${((performance.now() - began) / 1000).toFixed(0)} s`);

async function close(): Promise<Closed> {
  await workers.stop();
  const { acknowledged, troubles } = workers;
  return { started, acknowledged, troubles: [...troubles], largest };
}
