import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import pg from 'pg';
import { cast } from '../../../test/cast.ts';
import { type ConnectTo, configOf, type OnSend } from '../../db/connection.ts';
import { findFreeNames } from './queries.ts';

type Node = {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Index Cond'?: string;
  Plans?: Node[];
};

/** How these statements read the table of cogs, with generic plans made now. */
async function readsOfCogs(to: ConnectTo, texts: ReadonlySet<string>): Promise<Node[]> {
  const planner = new pg.Client(configOf(to, { alongKeys: true }));
  await planner.connect();
  const reads: Node[] = [];
  const collect = (node: Node) => {
    if (/Scan/.test(node['Node Type']) && node['Relation Name'] === 'cogs') reads.push(node);
    node.Plans?.forEach(collect);
  };
  try {
    for (const text of texts) {
      if (/^(begin|commit)/.test(text)) continue;
      const { rows } = await planner.query(`explain (generic_plan, format json) ${text}`);
      collect(rows[0]['QUERY PLAN'][0].Plan);
    }
  } finally {
    await planner.end();
  }
  return reads;
}

describe('reading one cog, its bytes or the root, and adding a file', () => {
  it('looks up by keys, in a folder of thousands and tables that were never analyzed', async () => {
    const { server, owner } = await cast();
    const { tenant_id, id: user_id } = owner.user;
    const { body: folder } = await owner.post('/cogs/', { name: 'A', cog_type: 'asset_folder' });
    await server.services.db`
      insert into cogs (tenant_id, parent_id, name, cog_type, owner_id)
      select ${tenant_id}, ${folder.id}, 'child ' || number, 'asset_folder', ${user_id}
      from generate_series(1, 3000) as number
    `;

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
    const free = await findFreeNames(server.services.db, tenant_id, folder.id, ['file', 'free']);
    assert.deepEqual(free, ['free']);
    server.listeners.delete(listener);
    const reads = await readsOfCogs(server.to, texts);

    const byKey = /\bid = |\(name >= .*\(name <= /;
    const others = reads.filter(
      (read) =>
        read['Index Name'] !== 'cogs_one_root_per_tenant' && !byKey.test(read['Index Cond'] ?? ''),
    );
    assert.ok(reads.length > 10, `${reads.length} reads`);
    assert.deepEqual(others, []);
  });
});
