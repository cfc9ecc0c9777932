/**
 * The least a queue in this database can cost: a statement that claims and one that completes, each
 * a transaction of its own that is synced, without runs, tenants, HTTP. By the bare driver, on the
 * PostgreSQL of the server that is measured.
 */
import { Client } from 'pg';
import type { ConnectTo } from '../../../server/src/db/connection.ts';

const name = 'bench_queue';

/** More than any machine ends in a round. */
const rows = 300_000;

const claim = `
  with taken as (
    select id from work where status = 'ready' order by id limit $1 for update skip locked
  )
  update work set status = 'running', lease_token = gen_random_uuid(), started_at = now()
  from taken where work.id = taken.id
  returning work.id, work.lease_token
`;

const complete = `
  update work set status = 'success', finished_at = now()
  from unnest($1::bigint[], $2::uuid[]) as done (id, lease_token)
  where work.id = done.id and work.lease_token = done.lease_token and work.status = 'running'
`;

export type BareQueue = {
  /** @returns how many pieces of work were claimed and completed per second. */
  measure(seconds: number): Promise<number>;
  close(): Promise<void>;
};

/** @param workers each has a connection, and takes `max` at a time. */
export async function openBareQueue(
  at: (database: string) => ConnectTo,
  { workers, max }: { workers: number; max: number },
): Promise<BareQueue> {
  const owner = await connected(at('postgres'));
  await owner.query(`create database ${name}`);
  await owner.end();
  const clients = await Promise.all(Array.from({ length: workers }, () => connected(at(name))));
  const [first] = clients;
  await first?.query(`
    create table work (
      id          bigint generated always as identity primary key,
      status      text not null default 'ready',
      lease_token uuid,
      started_at  timestamptz,
      finished_at timestamptz
    );
    create index work_ready on work (id) where status = 'ready';
  `);

  async function work(client: Client, until: () => boolean): Promise<number> {
    let done = 0;
    while (!until()) {
      const taken = await client.query({ name: 'claim', text: claim, values: [max] });
      if (taken.rows.length === 0) break;
      const ids = taken.rows.map((row) => row.id);
      const tokens = taken.rows.map((row) => row.lease_token);
      await client.query({ name: 'complete', text: complete, values: [ids, tokens] });
      done += ids.length;
    }
    return done;
  }

  return {
    async measure(seconds) {
      await first?.query('truncate work');
      await first?.query('insert into work select from generate_series(1, $1::int)', [rows]);
      await first?.query('analyze work');
      const began = performance.now();
      const isOver = () => performance.now() - began > seconds * 1000;
      const done = await Promise.all(clients.map((client) => work(client, isOver)));
      const took_s = (performance.now() - began) / 1000;
      return done.reduce((sum, one) => sum + one, 0) / took_s;
    },
    async close() {
      await Promise.all(clients.map((client) => client.end()));
    },
  };
}

async function connected(to: ConnectTo): Promise<Client> {
  const client = new Client('url' in to ? { connectionString: to.url } : to);
  // A failure shows where a statement is waited for; between two it must not end the process.
  client.on('error', () => {});
  await client.connect();
  return client;
}
