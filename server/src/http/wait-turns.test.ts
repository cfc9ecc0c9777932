import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cast, person } from '../../test/cast.ts';
import { startServer } from '../../test/server.ts';
import { mappedGraph, registerNode, storeCredentials } from '../../test/workflows.ts';
import { usualLimits } from '../limits.ts';

describe('requests in turns', () => {
  it("leave room for other tenants while one tenant's all wait in the database", async () => {
    const server = await startServer();
    const { owner, editor, stranger } = await cast(server);
    const folder = (await owner.post('/cogs', { name: 'Held', cog_type: 'asset_folder' })).body;
    const another = await person(server, owner.user.tenant_id, 'another', 'admin');

    const { others, held } = await server.services.engineDb.transaction(async (tx) => {
      await tx`select from cogs where id = ${folder.id} for update`;
      const held = [owner, editor, another].flatMap((one) =>
        Array.from({ length: 10 }, () => one.patch(`/cogs/${folder.id}`, { name: 'Renamed' })),
      );
      const others = [];
      for (let count = 0; count < 10; count += 1) others.push((await stranger.get('/me')).status);
      return { others, held };
    });

    assert.deepEqual(new Set(others), new Set([200]));
    const statuses = (await Promise.all(held)).map((answer) => answer.status);
    assert.deepEqual(new Set(statuses), new Set([200, 403]));
  });

  it('refuse a start when too many of the same person wait, with the time to come back', async () => {
    const start = { ...usualLimits.turns.start, per_tenant: 1, per_user: 1, waiting_per_user: 1 };
    const server = await startServer({}, undefined, {
      limits: { turns: { ...usualLimits.turns, start } },
    });
    const { owner, admin } = await cast(server);
    await storeCredentials(admin);
    const graph = mappedGraph(await registerNode(owner));
    const workflow = (await owner.post('/workflows', { name: 'Many', graph })).body;
    const file = (await owner.upload('a.txt', 'a')).body.id;
    const path = `/workflows/workflow-versions/${workflow.latest_version_id}/run`;

    const starts = await server.services.engineDb.transaction(async (tx) => {
      await tx`lock table workflow_runs in exclusive mode`;
      const starts = Array.from({ length: 5 }, () => owner.post(path, { cog_ids: [file] }));
      // Three are refused while the first is still running.
      let refused = 0;
      await new Promise<void>((resolve) => {
        for (const one of starts) {
          void one.then(({ status }) => {
            if (status === 429) refused += 1;
            if (refused === 3) resolve();
          });
        }
      });
      return starts;
    });

    const answers = await Promise.all(starts);
    const refused = answers.filter(({ status }) => status === 429);
    assert.equal(refused.length, 3);
    for (const { body, headers } of refused) {
      assert.equal(body.code, 'too_many_at_once');
      assert.ok(Number(headers.get('retry-after')) > 0);
    }
    assert.equal(answers.filter(({ status }) => status === 202).length, 2);
  });
});
