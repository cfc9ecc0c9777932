/** What is asked of a filled installation, so that its database shows how it goes there. */
import type { Connection } from '../../../server/src/db/connection.ts';
import { forgetOldKeys } from '../../../server/src/db/idempotency-keys.ts';
import { removeOldLogs } from '../../../server/src/engine/duties/log-retention.ts';
import { forgetOldEvents } from '../../../server/src/engine/duties/old-events.ts';
import { lockDead, removeObjects } from '../../../server/src/objects/queries.ts';
import { collectExpiredSignIns } from '../../../server/src/resources/auth/expired.ts';
import { type Api, apiOf, send } from '../http.ts';
import { capacity, type Order, reportOf } from '../runs/workers.ts';
import { lanes } from './fill.ts';

export type Look = { name: string; prepare(): Promise<() => Promise<unknown>> };

type Place = {
  folder: number;
  file: number;
  hundred: number[];
  chain: number;
  fan: number;
  fan_version: number;
  lane: number;
};

/** @param member the token of a member of the first tenant, who has grants on many files. */
export async function looksAt(
  db: Connection,
  url: string,
  { admin, member }: { admin: string; member: string },
): Promise<Look[]> {
  const place = await findPlace(db);
  return [
    ...lists(apiOf(url, admin), apiOf(url, member), place),
    ...changes(apiOf(url, admin), url, admin, place),
    ...duties(db),
  ];
}

async function findPlace(db: Connection): Promise<Place> {
  const [found] = await db<Place[]>`
    with folder as (
      select id, tenant_id from cogs where name like 'Folder 0%' and cog_type = 'asset_folder'
    ),
    small as (
      select small.id, small.tenant_id
      from cogs as small join folder using (tenant_id)
      where small.name = 'Folder 38' and small.cog_type = 'asset_folder'
    ),
    run as (
      select run.id, run.first_ids, run.workflow_version_id
      from workflow_runs as run join folder using (tenant_id)
      where run.status = 'success'
    )
    select
      folder.id as folder,
      (select max(cogs.id) from cogs, small where cogs.tenant_id = small.tenant_id and parent_id = small.id) as file,
      array(
        select cogs.id from cogs, small
        where cogs.tenant_id = small.tenant_id and parent_id = small.id
        limit ${lanes}
      ) as hundred,
      (select max(id) from run where cardinality(first_ids) = 3) as chain,
      (select max(id) from run where cardinality(first_ids) = 2) as fan,
      (select max(workflow_version_id) from run where cardinality(first_ids) = 2) as fan_version,
      (select first_ids[1] from run where cardinality(first_ids) = 2 order by id desc limit 1) as lane
    from folder
  `;
  if (!found) throw new Error('The installation has not been filled.');
  return found;
}

const look = (name: string, work: () => Promise<unknown>): Look => ({
  name,
  prepare: async () => work,
});

function lists(admin: Api, member: Api, place: Place): Look[] {
  const { folder, file, chain, fan, lane } = place;
  const run = '/workflows/workflow-runs';
  const get = (name: string, path: string): Look => look(name, () => admin('GET', path));
  const asMember = (name: string, path: string): Look =>
    look(`${name}, as a member`, () => member('GET', path));
  const large = `/cogs/?parent_id=${folder}&limit=100`;
  return [
    get('a file in a large folder', `/cogs/${file}`),
    get('a large folder', large),
    get('a page far behind', `${large}&offset=20000`),
    get('with its size', `${large}&with_total=true`),
    ...['created_at', '-updated_at', '-size_bytes'].map((sort) =>
      get(`by ${sort}`, `${large}&sort=${sort}`),
    ),
    get('folders in a large folder', `${large}&cog_type=asset_folder`),
    get('a file by its name', `${large}&name=nothing.pdf`),
    get('search, common', '/cogs/search?q=report'),
    get('search, rare', '/cogs/search?q=12345'),
    get('search, two letters', '/cogs/search?q=zz'),
    get('search with total', '/cogs/search?q=report%20123&with_total=true'),
    get('path', `/cogs/${file}/path`),
    get('grants of a file', `/permissions/cogs/${file}?include_inherited=true`),
    asMember('a large folder', large),
    asMember('the root', '/cogs/'),
    asMember('what is shared', '/cogs/shared-with-me'),
    asMember('search', '/cogs/search?q=report'),
    get('runs', run),
    get('runs with total', `${run}?with_total=true`),
    get('runs that are under way', `${run}?status=running`),
    get('runs that failed', `${run}?status=failure`),
    get('runs that succeeded', `${run}?status=success`),
    get('runs of a workflow', `${run}?workflow_id=1`),
    get('runs of a user', `${run}?started_by=2`),
    get('a chain', `${run}/${chain}`),
    get('a fan', `${run}/${fan}`),
    get('progress of a fan', `${run}/${fan}/progress`),
    get('node runs of a fan', `${run}/${fan}/node-runs?limit=100`),
    get('a log', `${run}/${fan}/node-runs/${lane}/logs`),
    get('users', '/users/'),
    get('workers', '/workers'),
    get('workflows', '/workflows/'),
    get('audit events', '/audit-events/'),
  ];
}

function changes(api: Api, url: string, token: string, place: Place): Look[] {
  const run = '/workflows/workflow-runs';
  const start = () =>
    api('POST', `/workflows/workflow-versions/${place.fan_version}/run`, {
      cog_ids: place.hundred,
    });
  const after = (name: string, work: (id: number) => Promise<unknown>): Look => ({
    name,
    prepare: async () => {
      const { workflow_run_id } = await start();
      return () => work(workflow_run_id);
    },
  });
  return [
    look('start of a hundred lanes', start),
    after('watching a run', async (id) => {
      const signal = AbortSignal.timeout(300);
      const headers = { authorization: `Bearer ${token}` };
      await send('GET', `${url}${run}/${id}/events`, { headers, signal }).catch(() => {});
    }),
    after('cancel', (id) => api('POST', `${run}/${id}/cancel`, {})),
    after('restart', async (id) => {
      await api('POST', `${run}/${id}/cancel`, {});
      await api('POST', `${run}/${id}/restart`, { mode: 'all' });
    }),
    look('a folder with all in it renamed', () =>
      api('PATCH', `/cogs/${place.folder}`, { name: `Folder 0 at ${Date.now()}` }),
    ),
    {
      name: 'a folder moved and deleted',
      prepare: async () => {
        const made = await api('POST', '/cogs/', {
          name: `${Date.now()}`,
          cog_type: 'asset_folder',
        });
        return async () => {
          await api('PATCH', `/cogs/${made.id}`, { parent_id: place.folder });
          await api('DELETE', `/cogs/${made.id}`);
        };
      },
    },
  ];
}

/** What happens although nobody asks, with the settings of a new installation. */
const duties = (db: Connection): Look[] => [
  {
    name: 'collecting ten dead objects',
    prepare: async () => {
      await db`
        insert into objects (tenant_id, key, state)
        select id, id || '/' || gen_random_uuid(), 'dead' from tenants limit 10
      `;
      return () =>
        db.transaction(async (tx) => {
          const dead = await lockDead(tx, 10);
          const ids = dead.map(({ id }) => id);
          await removeObjects(tx, ids);
        });
    },
  },
  look('forgetting old events', () => forgetOldEvents(db)),
  look('removing old logs', () => removeOldLogs(db, { days: 30, tenant_bytes: 2 ** 31 })),
  look('forgetting idempotency keys', () => forgetOldKeys(db)),
  look('forgetting expired sign-ins', () => collectExpiredSignIns(db, new Date())),
];

/** What a worker asks while much waits, of many tenants. */
export async function looksAtQueue(url: string, admin: string): Promise<Look[]> {
  const enrolled = await apiOf(url, admin)('POST', '/workers', {
    name: 'for the queue',
    capacity,
    version: '1',
  });
  const path = `/workers/${enrolled.id}`;
  const worker = apiOf(url, enrolled.worker_token);
  await worker('POST', `${path}/heartbeat`, { attempts: [], just_started: true, capacity });
  let orders: Order[] = [];
  const exchange = async () => {
    const reports = orders.map(reportOf);
    const wanted = { free: capacity, max: 16, wait_seconds: 0 };
    ({ orders } = await worker('POST', `${path}/exchange`, { reports, ...wanted }));
  };
  return [
    look('a long queue: sixteen orders', exchange),
    look('a long queue: sixteen reports for sixteen orders', exchange),
    look('a long queue: the same again', exchange),
  ];
}
