/** The operations whose statements are counted, each repeatable. */
import { randomBytes } from 'node:crypto';
import type { Count } from './figures.ts';
import { type Api, apiOf, send, uploadForm } from './http.ts';
import { makeGraphs } from './runs/graphs.ts';
import { capacity, hasExchange, type Order, reportOf } from './runs/workers.ts';

export type Operation = {
  name: string;
  budget?: Count['budget'];
  /** Not counted itself. @returns the counted part. */
  prepare(): Promise<() => Promise<unknown>>;
};

export async function operationsOf(url: string, token: string): Promise<Operation[]> {
  const api = apiOf(url, token);
  return [...(await fileOperations(api, url, token)), ...(await runOperations(api, url))];
}

async function fileOperations(api: Api, url: string, token: string): Promise<Operation[]> {
  const authorization = `Bearer ${token}`;
  const content = randomBytes(10_000);
  const folder = await api('POST', '/cogs/', { name: 'Counted', cog_type: 'asset_folder' });
  let made = 0;
  const upload = async () => {
    made += 1;
    const { headers, body } = uploadForm(folder.id, `${made}.bin`, content);
    const sent = { headers: { authorization, ...headers }, body };
    return JSON.parse((await send('POST', `${url}/cogs/upload-file`, sent)).toString());
  };
  const file = await upload();
  const get = (name: string, path: string, statements: number): Operation => ({
    name,
    budget: { statements },
    prepare: async () => () => send('GET', url + path, { headers: { authorization } }),
  });
  return [
    get('me', '/me', 1),
    get('get', `/cogs/${file.id}`, 1),
    get('list', `/cogs/?parent_id=${folder.id}&limit=100`, 2),
    get('download', `/cogs/${file.id}/download`, 1),
    {
      name: 'folder',
      budget: { trips: 3 },
      prepare: async () => {
        made += 1;
        const body = { name: `Folder ${made}`, cog_type: 'asset_folder', parent_id: folder.id };
        return () => api('POST', '/cogs/', body);
      },
    },
    { name: 'upload', budget: { trips: 4 }, prepare: async () => upload },
  ];
}

async function runOperations(api: Api, url: string): Promise<Operation[]> {
  const { chain } = await makeGraphs(api);
  const enrolled = await api('POST', '/workers', { name: 'bench', capacity, version: '1' });
  const path = `/workers/${enrolled.id}`;
  const worker = apiOf(url, enrolled.worker_token);
  await worker('POST', `${path}/heartbeat`, { attempts: [], just_started: true, capacity });
  const start = () => api('POST', `/workflows/workflow-versions/${chain}/run`, { cog_ids: [] });
  const wanted = { free: capacity, max: 1, wait_seconds: 0 };
  const acquire = () => worker('POST', `${path}/acquire`, wanted);
  /** A run whose first node the worker holds, with nothing else in the queue. */
  const begun = async (): Promise<Order> => {
    for (;;) {
      const [left] = (await acquire()) ?? [];
      if (!left) break;
      await complete(left);
    }
    await start();
    return (await acquire())[0];
  };
  const complete = (order: Order) => {
    const { attempt_id, ...report } = reportOf(order);
    return worker('POST', `${path}/attempts/${attempt_id}/complete`, report);
  };
  const { workflow_run_id } = await start();
  const run = `/workflows/workflow-runs/${workflow_run_id}`;
  return [
    {
      name: 'progress',
      budget: { statements: 1 },
      prepare: async () => () => api('GET', `${run}/progress`),
    },
    { name: 'run', prepare: async () => () => api('GET', run) },
    { name: 'start of three nodes', budget: { statements: 5 }, prepare: async () => start },
    {
      name: 'acquire of one',
      prepare: async () => {
        await complete(await begun());
        return acquire;
      },
    },
    {
      name: 'report of one',
      prepare: async () => {
        const order = await begun();
        return () => complete(order);
      },
    },
    ...((await hasExchange(api)) ? [exchangeOf(worker, path, begun)] : []),
  ];
}

/** Reports the first node of a chain, and gets the second one. */
const exchangeOf = (worker: Api, path: string, begun: () => Promise<Order>): Operation => ({
  name: 'exchange, a report for an order',
  prepare: async () => {
    const reports = [reportOf(await begun())];
    const body = { reports, free: capacity, max: 1, wait_seconds: 0 };
    return () => worker('POST', `${path}/exchange`, body);
  },
});
