import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import pg from 'pg';
import { cast } from '../../../../test/cast.ts';
import { nextOf } from '../../../../test/pages.ts';
import { startServer } from '../../../../test/server.ts';
import type { Caller } from '../../../callers.ts';
import { type ConnectTo, configOf, type OnSend } from '../../../db/connection.ts';
import { readableFiles } from '../files/files.ts';
import { followPath } from '../places/paths.ts';
import { findFreeNames } from '../queries.ts';
import { findChildren } from './queries.ts';

type Node = {
  'Node Type': string;
  'Subplan Name'?: string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Index Cond'?: string;
  Plans?: Node[];
};

/** Generic plans of these statements, made now. */
async function plansOf(to: ConnectTo, texts: Iterable<string>, alongKeys: boolean) {
  const planner = new pg.Client(configOf(to, { alongKeys }));
  await planner.connect();
  const plans: Node[] = [];
  try {
    for (const text of texts) {
      if (/^(begin|commit)/.test(text)) continue;
      const { rows } = await planner.query(`explain (generic_plan, format json) ${text}`);
      plans.push(rows[0]['QUERY PLAN'][0].Plan);
    }
  } finally {
    await planner.end();
  }
  return plans;
}

const nodesOf = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

/** How these statements read the table of cogs. */
async function readsOfCogs(to: ConnectTo, texts: ReadonlySet<string>): Promise<Node[]> {
  const nodes = (await plansOf(to, texts, true)).flatMap(nodesOf);
  return nodes.filter((node) => /Scan/.test(node['Node Type']) && node['Relation Name'] === 'cogs');
}

describe('reading one cog, its bytes, a path or the root, and adding a file', () => {
  it('looks up by keys, in tables that are growing and were never analyzed', async () => {
    const { server, owner } = await cast();
    const { tenant_id, id: user_id } = owner.user;
    const { db, readDb } = server.services;
    const { body: folder } = await owner.post('/cogs/', { name: 'A', cog_type: 'asset_folder' });

    const texts = new Set<string>();
    const listener: OnSend = ({ text }) => void texts.add(text);

    server.listeners.add(listener);
    const { status, body: file } = await owner.upload('file', 'bytes', folder.id);
    assert.equal(status, 201);
    assert.equal((await owner.upload('file', 'others', folder.id)).status, 409);
    assert.equal((await owner.get(`/cogs/${file.id}`)).status, 200);
    assert.equal((await owner.get(`/cogs/${file.id}/path`)).status, 200);
    assert.equal((await owner.get('/cogs/root')).status, 200);
    assert.equal(await (await owner.fetch(`/cogs/${file.id}/download`)).text(), 'bytes');
    const caller = { ...owner.user, user_id } as Caller;
    assert.equal((await followPath(db, caller, ['A', 'file'], readDb)).length, 3);
    const free = await findFreeNames(db, tenant_id, folder.id, ['file', 'free']);
    assert.deepEqual(free, ['free']);
    server.listeners.delete(listener);

    // A plan is kept, whatever the sizes of the table and its indexes were when it was made.
    for (const siblings of [0, 30, 100, 300, 1000, 3000]) {
      await db`
        insert into cogs (tenant_id, parent_id, name, cog_type, owner_id)
        select ${tenant_id}, ${folder.id}, ${siblings} || 'th child ' || number, 'asset_folder', ${user_id}
        from generate_series(1, ${siblings}::int) as number
      `;
      const reads = await readsOfCogs(server.to, texts);
      const byKey = /\bid = |\(name >= .*\(name <= /;
      const others = reads.filter(
        (read) =>
          read['Index Name'] !== 'cogs_one_root_per_tenant' &&
          !byKey.test(read['Index Cond'] ?? ''),
      );
      assert.ok(reads.length > 10, `${reads.length} reads`);
      assert.deepEqual(others, [], `${siblings} more siblings`);
    }
  });

  it('looks up the files of a start by keys, with statistics of a tenant that was small', async () => {
    const server = await startServer();
    const { owner } = await cast(server);
    const { db } = server.services;
    const { body: folder } = await owner.post('/cogs/', { name: 'A', cog_type: 'asset_folder' });
    await owner.upload('file', 'bytes', folder.id);
    // Many tenants with little: an index that begins with the tenant seems as good as the key.
    await db.transaction(async (tx) => {
      // Rows of tenants that need not exist.
      await tx.script('set local session_replication_role = replica');
      await tx`
        insert into cogs (tenant_id, parent_id, name, cog_type, owner_id)
        select 1000000 + number, ${folder.id}, 'child', 'asset_folder', ${owner.user.id}
        from generate_series(1, 1000) as number
      `;
    });
    await db`analyze cogs`;

    const texts = new Set<string>();
    const listener: OnSend = ({ text }) => void texts.add(text);
    server.listeners.add(listener);
    const caller = { ...owner.user, user_id: owner.user.id } as Caller;
    assert.equal((await readableFiles(db, caller, [folder.id])).length, 1);
    server.listeners.delete(listener);
    const reads = await readsOfCogs(server.to, texts);

    const byKey = /\bid = |parent_id = /;
    assert.ok(reads.length >= 4, `${reads.length} reads`);
    assert.deepEqual(
      reads.filter((read) => !byKey.test(read['Index Cond'] ?? '')),
      [],
    );
  });
});

describe('a page of a folder', () => {
  it('by name is read along an index, both ways, from the start and from a cursor', async () => {
    const server = await startServer();
    const { owner } = await cast(server);
    const { db } = server.services;
    const { body: folder } = await owner.post('/cogs/', { name: 'A', cog_type: 'asset_folder' });
    const texts = new Set<string>();
    const listener: OnSend = ({ text }) => {
      if (text.includes('string_agg(child.line')) texts.add(text);
    };
    await db`
      insert into cogs (tenant_id, parent_id, name, cog_type, owner_id)
      select ${owner.user.tenant_id}, ${folder.id}, 'child ' || number, 'asset_folder',
        ${owner.user.id}
      from generate_series(1, 20000) as number
    `;
    await db`vacuum analyze cogs`;

    server.listeners.add(listener);
    for (const sort of ['name', '-name']) {
      for (const type of ['', '&cog_type=asset_folder']) {
        const first = await owner.get(`/cogs/?parent_id=${folder.id}&sort=${sort}${type}`);
        assert.equal((await owner.get(nextOf(first.headers) ?? '')).body.length, 100);
      }
    }
    server.listeners.delete(listener);
    const plans = await plansOf(server.to, texts, false);

    assert.equal(plans.length, 8);
    for (const plan of plans) {
      const walk = nodesOf(plan).find((node) => node['Subplan Name'] === 'CTE cogs');
      const nodes = walk === undefined ? [] : nodesOf(walk);
      const scans = nodes.filter((node) => node['Relation Name'] === 'cogs');
      assert.equal(scans.length, 1);
      assert.match(scans[0]?.['Index Name'] ?? '', /^cogs_(in_folder_by_name|folders_in_folder)$/);
      assert.ok(nodes.every((node) => !/Sort/.test(node['Node Type'])));
    }
  });

  it('is planned once for all of its executions, in a folder of thousands', async () => {
    const { server, owner } = await cast();
    const { db } = server.services;
    const { body: folder } = await owner.post('/cogs/', { name: 'A', cog_type: 'asset_folder' });
    await db`
      insert into cogs (tenant_id, parent_id, name, cog_type, owner_id)
      select ${owner.user.tenant_id}, ${folder.id}, 'child ' || number, 'asset_folder',
        ${owner.user.id}
      from generate_series(1, 20000) as number
    `;
    await db`vacuum analyze cogs`;
    const caller = { ...owner.user, user_id: owner.user.id } as Caller;
    const page = { limit: 101, offset: 0, with_total: false };

    const [plans] = await db.transaction(async (tx) => {
      // The database makes five plans for their values first.
      for (let count = 0; count < 10; count += 1) {
        await findChildren(tx, caller, { id: folder.id, sees_all: true }, {}, page);
      }
      return tx`
        select generic_plans, custom_plans from pg_prepared_statements
        where statement like '%string_agg(child.line%' and generic_plans + custom_plans >= 10
      `;
    });

    assert.deepEqual(plans, { generic_plans: 5, custom_plans: 5 });
  });
});
