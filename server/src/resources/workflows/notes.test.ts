/** How a graph is drawn, and that this has no part in what it does. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { noteLimits } from '@cogworks/graph/checks/notes';
import { canonicalJson, logicText } from '@cogworks/graph/hash';
import { type Client, cast } from '../../../test/cast.ts';
import { mappedGraph, registerNode } from '../../../test/workflows.ts';

const note = (over: object = {}) => ({
  id: '1',
  text: 'Why **this**: <b onclick="x">see</b> [more](javascript:x)',
  position: { x: -12.5, y: 0 },
  size: { width: 300, height: 80 },
  node_keys: ['each'],
  ...over,
});

const digestOf = (text: string) => createHash('sha256').update(text).digest('hex');

/** A draft that can be published, and what changes it. */
async function stage() {
  const people = await cast();
  const { owner } = people;
  const graph = mappedGraph(await registerNode(owner), { title: 'Each', position: { x: 1, y: 2 } });
  const drawn = { ...graph, notes: [note()] };
  const { body } = await owner.post('/workflows', { name: 'Drawn', graph: drawn });
  const path = `/workflows/workflow-versions/${body.latest_version_id}`;
  return { ...people, workflow: body.id, graph: drawn, path, ...editing(owner, path) };
}

const editing = (owner: Client, path: string) => ({
  edit: async (graph: unknown) => {
    const { headers } = await owner.get(path);
    const answer = await owner.patch(path, { graph }, ifMatch(headers.get('etag')));
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.body;
  },
});

const ifMatch = (etag: string | null) => ({ headers: { 'if-match': etag ?? '' } });

describe('a graph with notes', () => {
  it('is kept as it was sent, and hashed with them and without them', async () => {
    const { owner, graph, path } = await stage();

    const { body } = await owner.get(path);

    assert.deepEqual(body.graph, graph);
    assert.equal(body.graph_hash, digestOf(canonicalJson(graph)));
    assert.equal(body.logic_hash, digestOf(logicText(graph)));
    const { notes: _, nodes, ...rest } = graph;
    const bare = {
      ...rest,
      nodes: nodes.map(({ key, node_definition_id, map }) => ({ key, node_definition_id, map })),
    };
    assert.equal(body.logic_hash, digestOf(canonicalJson(bare)));
  });

  it('does the same when it is drawn in another way, and something else when more is changed', async () => {
    const { owner, workflow, graph, edit } = await stage();
    const [node] = graph.nodes;
    const first = (await owner.get(`/workflows/${workflow}/versions`)).body[0];
    const moved = await edit({ ...graph, nodes: [{ ...node, title: 'T', position: undefined }] });
    const noted = await edit({ ...graph, notes: [] });
    const changed = await edit({ ...graph, nodes: [{ ...node, on_error: 'continue' }] });
    const back = await edit(Object.fromEntries(Object.entries(graph).toReversed()));

    assert.equal(new Set([first, moved, noted].map(({ logic_hash }) => logic_hash)).size, 1);
    assert.notEqual(changed.logic_hash, first.logic_hash);
    const all = [first, moved, noted, changed].map(({ graph_hash }) => graph_hash);
    assert.equal(new Set(all).size, 4);
    assert.deepEqual(
      [back.graph_hash, back.logic_hash],
      [first.graph_hash, first.logic_hash],
      'the order of keys does not count',
    );
  });

  it('keeps them in a copy, and in a workflow that was made of its template', async () => {
    const { owner, workflow, graph, path } = await stage();
    const { body } = await owner.get(path);
    const version_id = body.id;

    const copy = await owner.post(`/workflows/${workflow}/versions`, {});
    const template = await owner.post('/workflow-templates', {
      ...{ name: 'Kept', workflow_version_id: version_id },
    });
    const made = await owner.post(`/workflow-templates/${template.body.id}/instantiate`, {
      name: 'Made',
    });
    const first = await owner.get(`/workflows/workflow-versions/${made.body.latest_version_id}`);

    assert.deepEqual(template.body.graph, graph);
    assert.equal('logic_hash' in template.body, false);
    for (const same of [copy, first]) {
      assert.deepEqual(same.body.graph, graph);
      assert.equal(same.body.graph_hash, body.graph_hash);
      assert.equal(same.body.logic_hash, body.logic_hash);
    }
  });

  it('is warned of notes about nodes that are gone, and published all the same', async () => {
    const { owner, graph, path, edit } = await stage();
    await edit({ ...graph, notes: [note(), note({ node_keys: ['each', 'gone'] })] });

    const { body } = await owner.post(`${path}/validate`);

    assert.deepEqual([body.valid, body.errors], [true, []]);
    assert.deepEqual(
      body.warnings.map(({ code, node_key, pointer }: Record<string, string>) => [
        ...[code, node_key, pointer],
      ]),
      [
        ['duplicate_note', undefined, '/notes/1/id'],
        ['note_of_unknown_node', 'gone', '/notes/1/node_keys/1'],
      ],
    );
    assert.equal((await owner.post(`${path}/publish`)).status, 200);
  });

  it('may have as many and as long ones as validation allows, and is refused with more', async () => {
    const { owner, graph, path, edit } = await stage();
    const { notes, text, id, node_keys, size } = noteLimits;
    const most = Array.from({ length: notes }, (_, at) =>
      note({ id: `${at}`, text: 'x'.repeat(text), node_keys: [] }),
    );
    const widest = { width: size, height: size };
    const largest = note({ id: '🙂'.repeat(id), text: '🙂'.repeat(text), size: widest });
    await edit({ ...graph, notes: most });
    await edit({
      ...graph,
      notes: [{ ...largest, node_keys: Array.from({ length: node_keys }, () => 'each') }],
    });

    const { headers } = await owner.get(path);
    const faultsOf = async (given: unknown[]) => {
      const change = { graph: { ...graph, notes: given } };
      const { status, body } = await owner.patch(path, change, ifMatch(headers.get('etag')));
      return [status, body.detail.map(({ loc }: { loc: unknown[] }) => loc.slice(2).join('.'))];
    };
    assert.deepEqual(await faultsOf([...most, note({ id: 'one more' })]), [422, ['notes']]);
    for (const [over, place] of [
      [{ id: '🙂'.repeat(id + 1) }, 'id'],
      [{ id: '' }, 'id'],
      [{ text: 'x'.repeat(text + 1) }, 'text'],
      [{ text: 'a\0b' }, 'text'],
      [{ size: { width: size + 1, height: 1 } }, 'size.width'],
      [{ size: { width: 1, height: 0 } }, 'size.height'],
      [{ position: { x: '1', y: 1 } }, 'position.x'],
      [{ node_keys: Array.from({ length: node_keys + 1 }, () => 'each') }, 'node_keys'],
      [{ color: 'red' }, 'color'],
      [{ size: undefined }, 'size'],
    ] as const) {
      assert.deepEqual(await faultsOf([note(), note(over)]), [422, [`notes.1.${place}`]]);
    }
  });

  it('is as small as a graph must be: many long notes do not make it larger than others', async () => {
    const { owner, graph, path } = await stage();
    const text = '\u{1F642}'.repeat(noteLimits.text);
    const notes = Array.from({ length: noteLimits.notes }, (_, at) => note({ id: `${at}`, text }));
    const filler = note({ node_keys: Array.from({ length: 500 }, () => 'x'.repeat(100)) });
    const { headers } = await owner.get(path);
    const body = { graph: { ...graph, notes: [...notes.slice(1), filler] } };
    assert.ok(Buffer.byteLength(JSON.stringify(body)) < 4 * 1024 * 1024);
    const etag = ifMatch(headers.get('etag'));
    const accepted = await owner.patch(path, body, etag);
    assert.equal(accepted.status, 200, JSON.stringify(accepted.body).slice(0, 300));

    const twice = { graph: { ...body.graph, notes: notes.map((one) => ({ ...filler, ...one })) } };
    for (const one of twice.graph.notes) one.node_keys = filler.node_keys;
    assert.equal((await owner.patch(path, twice, etag)).status, 413);
  });
});

describe('a draft', () => {
  it('is published only as it was seen, where that is asked for, however it is drawn', async () => {
    const { owner, graph, path, edit } = await stage();
    const { logic_hash: seen } = (await owner.get(path)).body;
    const [node] = graph.nodes;
    const publish = (logic_hash?: unknown) => owner.post(`${path}/publish`, { logic_hash });

    const other = await edit({ ...graph, nodes: [{ ...node, on_error: 'continue' }] });
    const refused = await publish(seen);
    assert.equal(refused.status, 412);
    assert.match(refused.body.detail, /does something else than the one you have seen/);
    assert.equal((await owner.get(path)).body.state, 'draft');

    const drawn = await edit({ ...graph, notes: [note({ text: 'Later' })] });
    const published = await publish(seen);
    assert.deepEqual([published.status, published.body.state], [200, 'published']);
    assert.equal(published.body.graph_hash, drawn.graph_hash);
    assert.equal((await publish(seen)).status, 200);
    assert.equal((await publish()).status, 200);
    assert.equal((await owner.post(`${path}/publish`, null)).status, 200);
    assert.equal((await publish(other.logic_hash)).status, 412);
    assert.equal((await publish(7)).status, 422);
  });

  it('tells nobody by its hash what they may not see or publish', async () => {
    const { owner, viewer, stranger, path } = await stage();
    const { logic_hash } = (await owner.get(path)).body;
    for (const hash of [logic_hash, '0'.repeat(64)]) {
      const body = { logic_hash: hash };
      assert.equal((await viewer.post(`${path}/publish`, body)).status, 403);
      assert.equal((await stranger.post(`${path}/publish`, body)).status, 404);
    }
  });

  it('is edited with the ETag of the answer that made it, also where that came twice', async () => {
    const { owner, workflow, graph } = await stage();
    const keyed = { headers: { 'idempotency-key': 'first-draft' } };
    const make = () => owner.post(`/workflows/${workflow}/versions`, { graph }, keyed);
    const [made, again] = [await make(), await make()];
    const path = `/workflows/workflow-versions/${made.body.id}`;
    assert.equal(again.headers.get('etag'), made.headers.get('etag'));

    const saved = await owner.patch(path, { graph }, ifMatch(made.headers.get('etag')));
    assert.equal(saved.status, 200);
    const stale = await owner.patch(path, { graph }, ifMatch(made.headers.get('etag')));
    assert.equal(stale.status, 412);
    const published = await owner.post(`${path}/publish`);
    assert.equal(published.headers.get('etag'), saved.headers.get('etag'));
  });
});
