/**
 * `npm run bench -- tree [--cogs N] [--small N] [--seconds S] [--only TEXT]`: the same requests to a
 * large tenant and to a small one of the same server, in turns, so that what grows with the size of
 * a tenant shows as the ratio of both.
 */
import { parseArgs } from 'node:util';
import { apiOf } from '../http.ts';
import { quantile } from '../measure.ts';
import { type BenchServer, signInAsAdmin, startBenchServer, tokenOf } from '../server.ts';
import { type Ask, asksOf } from './asks.ts';
import { fillTrees, type Tree } from './fill.ts';

type Tenant = { tenant_id: number; admin: string; member: string };

/** Measures and prints. @param args of the command line. */
export async function tree(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      checkout: { type: 'string', default: '.' },
      cogs: { type: 'string', default: '10000000' },
      small: { type: 'string', default: '10000' },
      seconds: { type: 'string', default: '3' },
      only: { type: 'string', default: '' },
    },
  });
  const server = await startBenchServer(values.checkout);
  try {
    const tenants = [await firstTenant(server), await secondTenant(server)];
    const sizes = [Number(values.cogs), Number(values.small)];
    const wanted = tenants.map(({ tenant_id }, at) => ({ tenant_id, cogs: sizes[at] ?? 0 }));
    const trees = await fillTrees(server.db, wanted, (name, seconds) =>
      console.log(`  ${name}: ${seconds.toFixed(0)} s`),
    );
    const asks = await Promise.all(
      trees.map(async (filled, at) => {
        const tenant = tenants[at] as Tenant;
        await share(server, filled);
        const api = apiOf(server.url, tenant.admin);
        return asksOf({ url: server.url, ...tenant, api, tree: filled });
      }),
    );
    await server.db.script('analyze permissions');
    await compare(asks, values.only, Number(values.seconds));
  } finally {
    await server.stop();
  }
}

async function firstTenant(server: BenchServer): Promise<Tenant> {
  const admin = await signInAsAdmin(server);
  const { tenant_id } = await apiOf(server.url, admin)('GET', '/me');
  return withMember(server, tenant_id, admin);
}

async function secondTenant(server: BenchServer): Promise<Tenant> {
  const email = 'small@example.test';
  const made = await server.admin('create-tenant', '--name', 'Small', '--admin-email', email);
  return withMember(server, JSON.parse(made).tenant_id, await tokenOf(server, email));
}

/** Also has the root made, which is there from its first use. */
async function withMember(server: BenchServer, tenant_id: number, admin: string): Promise<Tenant> {
  await apiOf(server.url, admin)('GET', '/cogs/root');
  const email = `member-of-${tenant_id}@example.test`;
  await server.admin('create-user', '--tenant', String(tenant_id), '--email', email);
  return { tenant_id, admin, member: await tokenOf(server, email) };
}

/** The member edits the wide and the moved folder and the chain, and sees files here and there. */
async function share({ db }: BenchServer, { tenant_id, wide, moved, deepest, file }: Tree) {
  const folders = [wide, moved, deepest];
  const files = Array.from({ length: 1000 }, (_, n) => file - 4 * n);
  await db`
    insert into permissions (tenant_id, cog_id, user_id, level, created_by)
    select ${tenant_id}, cogs.id, member.id,
      case when cogs.id = any (${folders}) then 'editor' else 'viewer' end, cogs.owner_id
    from cogs, (select id from users where tenant_id = ${tenant_id} and role = 'member') as member
    where cogs.tenant_id = ${tenant_id} and cogs.id = any (${[...folders, ...files]})
  `;
}

async function compare(asks: readonly Ask[][], only: string, seconds: number): Promise<void> {
  const [large = [], small = []] = asks;
  console.log('| | p50 | p99 | small p50 | small p99 | ratio of p50 | goal |');
  console.log('| --- | --- | --- | --- | --- | --- | --- |');
  for (const [at, ask] of large.entries()) {
    const twin = small[at];
    if (!twin || !ask.name.includes(only)) continue;
    const times = await inTurns([ask, twin], seconds);
    console.log(lineOf(ask, times));
  }
}

/** @returns milliseconds of each request, for each of the asks. */
async function inTurns(asks: readonly Ask[], seconds: number): Promise<number[][]> {
  const times = asks.map((): number[] => []);
  const timeOf = async ({ once, undo }: Ask) => {
    const began = performance.now();
    await once();
    const took = performance.now() - began;
    await undo?.();
    return took;
  };
  for (const ask of asks) {
    await ask.prepare?.();
    // What is read for the first time, and statements that are prepared, are not compared.
    for (let turn = 0; turn < 8; turn += 1) await timeOf(ask);
  }
  const end = performance.now() + seconds * 1000;
  while (performance.now() < end || (times[0]?.length ?? 0) < 6) {
    for (const [at, ask] of asks.entries()) times[at]?.push(await timeOf(ask));
  }
  for (const ask of asks) await ask.end?.();
  return times;
}

function lineOf({ name, goal_ms }: Ask, [large = [], small = []]: number[][]): string {
  const p50 = quantile(large, 0.5) / quantile(small, 0.5);
  const isMet = goal_ms === undefined ? p50 <= 1.5 : p50 <= 1.5 && quantile(large, 0.99) <= goal_ms;
  const shown = [
    quantile(large, 0.5),
    quantile(large, 0.99),
    quantile(small, 0.5),
    quantile(small, 0.99),
  ];
  const goal = `${goal_ms === undefined ? '' : `≤ ${goal_ms} ms, `}≤ 1.5 ${isMet ? '✓' : '✗'}`;
  return `| ${name} | ${shown.map((ms) => `${ms.toFixed(1)} ms`).join(' | ')} | ${p50.toFixed(2)} | ${goal} |`;
}
