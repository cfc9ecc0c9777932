import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  draft,
  endedAgo,
  made,
  play,
  remove,
  statusOf,
  test,
  usedBy,
} from '../../../test/draft-tests.ts';
import { collectAll } from '../../../test/duties.ts';
import { filesOf, look, run, stage } from '../../../test/runs.ts';
import { removeDeletedOutputs } from '../../engine/duties/deleted-runs.ts';
import { removeTestResults } from '../../engine/duties/test-results.ts';

describe('a test whose results were removed', () => {
  it('has nothing to take over: all is computed again', async () => {
    const people = await stage();
    const { owner } = people;
    const version = await draft(owner);
    const first = await test(people, version);
    const again = { cog_ids: first.cog_ids, reuse_from_run_id: first.id };
    const before = await test(people, version, again);
    assert.deepEqual(before.keys, []);
    await endedAgo(people, first.id, 25);
    await remove(people);

    const after = await test(people, version, again);

    assert.deepEqual([after.keys, after.ended.status], [['first', 'second'], 'success']);
    assert.equal(await statusOf(owner, before.files[0]?.cog_id), 200);
    const third = await test(people, version, { ...again, reuse_from_run_id: before.id });
    assert.deepEqual(third.keys, []);
  });

  it('restarts whole, and not in part', async () => {
    const people = await stage();
    const { owner, worker } = people;
    const cog_ids = await filesOf(owner, 'a', 'b');
    const { body } = await run(owner, await draft(owner), { cog_ids, until: 'second' });
    const id = body.workflow_run_id;
    await worker.work((order) =>
      order.shard_index === 0 ? play(people)(order) : worker.fail(order),
    );
    await endedAgo(people, id, 25);
    await remove(people);
    const restart = (given: object) => owner.post(`/workflows/workflow-runs/${id}/restart`, given);

    const part = await restart({ only: [{ node_key: 'second' }] });
    assert.deepEqual([part.status, part.body.code], [409, 'results_removed']);
    const whole = await restart({ mode: 'failed' });

    assert.equal(whole.status, 202);
    assert.equal((await worker.work(play(people))).length, 4);
    const ended = await look(owner, whole.body.workflow_run_id);
    assert.deepEqual([ended.status, ended.keep_results, made(ended).length], ['success', false, 4]);
  });

  it('keeps them while a restart may take them over', async () => {
    const people = await stage();
    const { owner, worker } = people;
    const cog_ids = await filesOf(owner, 'a');
    const { body } = await run(owner, await draft(owner), { cog_ids, until: 'second' });
    const id = body.workflow_run_id;
    await worker.work((order) =>
      order.node_key === 'first' ? play(people)(order) : worker.fail(order),
    );
    const restarted = await owner.post(`/workflows/workflow-runs/${id}/restart`);
    await endedAgo(people, id, 25);
    await remove(people);
    assert.equal((await look(owner, id)).results_removed_at, undefined);
    const orders = await worker.work(play(people));
    assert.deepEqual(
      orders.map(({ node_key }) => node_key),
      ['second'],
    );
    await remove(people);
    assert.ok((await look(owner, id)).results_removed_at);
    assert.equal((await look(owner, restarted.body.workflow_run_id)).status, 'success');
  });

  it('is emptied to the end, wherever a process died before', async () => {
    const people = await stage();
    const { owner, server } = people;
    const { db } = server.services;
    const { tenant_id } = owner.user;
    const cog_ids = await filesOf(owner, 'a', 'b');
    const before = await usedBy(people);
    const { id, files } = await test(people, await draft(owner), { cog_ids });
    await endedAgo(people, id, 25);
    await db.script(`
      create function refuse_purge() returns trigger language plpgsql as
        $$ begin raise exception 'no'; end $$;
      create trigger refuse_purge before insert on audit_events for each row
        when (new.tenant_id = ${tenant_id}) execute function refuse_purge();
    `);
    await assert.rejects(removeTestResults(db, 100));
    await collectAll(server.services);
    assert.equal((await look(owner, id)).results_removed_at, undefined);
    assert.equal(await statusOf(owner, files[0]?.cog_id), 200);
    await db.script('drop trigger refuse_purge on audit_events');

    await removeTestResults(db, 100);
    await removeDeletedOutputs(db, 1);
    // As if another process went on from here.
    await collectAll(server.services);
    assert.equal(await statusOf(owner, cog_ids[0]), 200);
    assert.ok((await usedBy(people)) > before, 'What its first step made is still there.');
    await remove(people);

    assert.equal(await usedBy(people), before);
    const left = await db`
      select from objects where tenant_id = ${tenant_id} and state <> 'live'
    `;
    assert.equal(left.count, 0);
  });
});
