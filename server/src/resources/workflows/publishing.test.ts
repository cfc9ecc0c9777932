import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cast } from '../../../test/cast.ts';
import { heldUp } from '../../../test/races.ts';
import { mappedGraph, registerNode } from '../../../test/workflows.ts';

/** A workflow with a published version and drafts after it. */
async function workflow() {
  const people = await cast();
  const { owner } = people;
  const graph = mappedGraph(await registerNode(owner));
  const { body } = await owner.post('/workflows', { name: 'Published', graph });
  const draft = async (): Promise<number> =>
    (await owner.post(`/workflows/${body.id}/versions`, { graph })).body.id;
  const publish = async (version: number, seen?: Record<string, unknown>) => {
    const answer = await owner.post(`/workflows/workflow-versions/${version}/publish`, seen);
    return [answer.status, answer.body.code ?? answer.body.state];
  };
  const published = async () =>
    (await owner.get(`/workflows/${body.id}`)).body.published_version_id as number | undefined;
  const first: number = body.latest_version_id;
  return { ...people, id: body.id as number, first, draft, publish, published };
}

describe('publishing', () => {
  it('takes the place of the published version that was seen, and of no other', async () => {
    const { first, draft, publish, published } = await workflow();
    const [second, third] = [await draft(), await draft()];

    assert.deepEqual(await publish(first, { published_version_id: second }), [
      ...[409, 'other_published'],
    ]);
    assert.equal(await published(), undefined);
    assert.deepEqual(await publish(first, { published_version_id: null }), [200, 'published']);
    assert.deepEqual(await publish(second, { published_version_id: null }), [
      ...[409, 'other_published'],
    ]);
    assert.deepEqual(await publish(second, { published_version_id: first }), [200, 'published']);
    assert.deepEqual(await publish(third, { published_version_id: first }), [
      ...[409, 'other_published'],
    ]);
    assert.equal(await published(), second);
    assert.deepEqual(await publish(third), [200, 'published']);
  });

  it('of a published version is done, whatever has been published since', async () => {
    const { first, draft, publish } = await workflow();
    await publish(first, { published_version_id: null });
    await publish(await draft());
    assert.deepEqual(await publish(first, { published_version_id: null }), [200, 'published']);
  });

  it('of two versions at once in the place of one is refused to one of them', async () => {
    const { server, id, first, draft, publish, published } = await workflow();
    await publish(first);
    const [second, third] = [await draft(), await draft()];
    const seen = { published_version_id: first };
    const answers = await heldUp(
      server.services.db,
      (tx) => tx`select from workflows where id = ${id} for update`,
      () => Promise.all([publish(second, seen), publish(third, seen)]),
      undefined,
      { waiting: 2 },
    );
    assert.deepEqual(answers.toSorted(), [
      [200, 'published'],
      [409, 'other_published'],
    ]);
    assert.equal(await published(), answers[0]?.[0] === 200 ? second : third);
  });
});
