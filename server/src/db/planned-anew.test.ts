import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { type Cast, cast } from '../../test/cast.ts';
import { readsOf } from '../../test/plans.ts';
import { statementsOf } from '../../test/statements.ts';

describe('a list with very many rows', () => {
  let people: Cast;
  before(async () => {
    people = await cast();
    const { db } = people.server.services;
    const { tenant_id, id } = people.admin.user;
    await db`update users set is_platform_admin = true where id = ${id}`;
    await db`
      insert into users (tenant_id, email, role, issuer, subject, first_name)
      select ${tenant_id}, 'p' || n || '@large.test', 'member', 'https://large.test', n, 'Ada'
      from generate_series(1, 20000) as n
    `;
    await db`
      insert into tenants (name, sealed_key, sealed_with)
      select 'Org ' || n, sealed_key, sealed_with
      from tenants, generate_series(1, 20000) as n
      where id = ${tenant_id}
    `;
    await db`
      insert into workflow_templates (tenant_id, name, description, category, graph, graph_hash)
      select ${tenant_id}, 'Template ' || n, '', 'Images', '{"nodes": []}', ''
      from generate_series(1, 20000) as n
    `;
    await db`
      insert into notices (tenant_id, url, events, enabled, created_by)
      select ${tenant_id}, 'https://large.test', '{run.failure}', false, ${id}
      from generate_series(1, 20000) as n
    `;
    await db`
      insert into api_keys (tenant_id, user_id, public_id, secret_hash, description, revoked_at)
      select ${tenant_id}, ${id}, 'large' || n, '', '', now()
      from generate_series(1, 20000) as n
    `;
    await db`analyze api_keys, users, tenants, workflow_templates, notices`;
  });

  /** The indexes by which the list reads its table, and what it asks of the database for that. */
  async function readingOf(table: string, path: string, values?: (string | number)[]) {
    const { admin, server } = people;
    const { texts } = await statementsOf(server, async () => {
      assert.equal((await admin.get(path)).status, 200, path);
    });
    const [text = ''] = texts.filter((one) => one.includes(`from ${table} where`));
    const reads = await readsOf(table, server.to, [text], values);
    const indexes = new Set(
      reads.map((node) => node['Index Name'] ?? node.Plans?.[0]?.['Index Name'] ?? 'none'),
    );
    return { indexes: [...indexes].toSorted(), isPlannedAnew: texts.some(isForValues), text };
  }
  const isForValues = (text: string) => text.includes('force_custom_plan');

  it('is searched for a part of a text by its trigrams, or along the list if that is common', async () => {
    const { tenant_id } = people.admin.user;
    const users = (part: string) =>
      readingOf('users', `/users/?q=${part}`, [tenant_id, `%${part}%`, 50]);

    const [rare, common] = [await users('p17777@'), await users('Ada')];
    const tenants = await readingOf('tenants', '/platform/tenants/?q=17777', ['%17777%', 50]);

    assert.deepEqual([rare.isPlannedAnew, tenants.isPlannedAnew], [true, true]);
    assert.ok(rare.indexes.includes('users_by_part'), rare.indexes.join());
    assert.ok(!common.indexes.includes('users_by_part'), common.indexes.join());
    assert.deepEqual(tenants.indexes, ['tenants_by_part']);
  });

  it('is read along an index of what it is narrowed to', async () => {
    const templates = await readingOf('workflow_templates', '/workflow-templates?category=Text');
    const all = await readingOf('workflow_templates', '/workflow-templates');
    const notices = await readingOf('notices', '/workflows/notices?workflow_id=7');

    assert.deepEqual(templates.indexes, ['workflow_templates_by_category']);
    assert.deepEqual(all.indexes, ['workflow_templates_by_tenant']);
    const keys = await readingOf('api_keys', '/api-keys/');
    assert.deepEqual(notices.indexes, ['notices_by_workflow']);
    assert.deepEqual(keys.indexes, ['api_keys_live']);
    assert.equal(all.isPlannedAnew, false);
  });
});
