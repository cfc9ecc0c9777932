/**
 * Random calls of several users on one tree, one after another: each is answered as the model says,
 * and everything that can be read afterwards is what the model has.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { findMiscounted, readUsage } from '../../src/objects/quota.ts';
import type { Client } from '../cast.ts';
import { collectAll } from '../duties.ts';
import { readState } from '../rights/reference.ts';
import { testServer } from '../server.ts';
import { assertWholeTree } from '../whole-tree.ts';
import { runsOf, Tally } from './runs.ts';
import {
  after,
  bytesOf,
  type Call,
  isLive,
  liveChildren,
  type Node,
  placed,
  type Rights,
  snapshot,
  swept,
  trashOf,
  verdictOn,
  wayUp,
} from './tree-model.ts';
import {
  callOf,
  difference,
  everyKind,
  everything,
  idsByPath,
  index,
  openWorld,
  refusalOf,
  rightsIn,
  send,
  trashIds,
  type Wish,
  type World,
  wish,
} from './tree-world.ts';

const server = await testServer();
const { db } = server.services;
const levels = ['viewer', 'editor', 'owner'];

/** At every fifth, somebody is given another level somewhere. */
const step = fc.record({ wish, shares: index, look: index });

describe('any sequence of calls on a tree', () => {
  it('does what the model does', async (test) => {
    const tally = new Tally();
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 40, size: 'max' }),
        async (steps) => {
          const world = await openWorld(server);
          for (const one of steps) {
            if (one.shares % 5 === 0) await shareSomething(world, one.shares / 5);
            const rights = await rightsNow(world);
            await makeCall(world, rights, one.wish, tally);
            await look(world, await rightsNow(world), one.look);
          }
          await compareAll(world);
        },
      ),
      {
        ...runsOf(15, test),
        examples: [[everyKind.map((one) => ({ wish: one, shares: 1, look: 0 }))]],
      },
    );
    test.diagnostic(String(tally));
    for (const kind of [
      'create',
      'upload',
      'change',
      'copy',
      'write',
      'delete',
      'restore',
      'purge',
    ])
      assert.ok(tally.counts.has(kind), `no ${kind} was ever accepted`);
  });
});

async function rightsNow(world: World): Promise<Rights> {
  const { grants } = await readState(db, world.tenantId, []);
  return rightsIn(world, grants);
}

async function shareSomething({ people, ids, tree }: World, dice: number) {
  const [admin, ...members] = people as [Client, ...Client[]];
  const cog = ids[dice % ids.length] ?? 0;
  const { status } = await admin.post(`/permissions/cogs/${cog}`, {
    target_type: 'cog',
    target_id: cog,
    user_id: members[dice % members.length]?.user.id,
    level: levels[(dice % 7) % 3],
  });
  // The last owner of something stays one.
  assert.ok(isLive(tree, cog) ? [200, 201, 409].includes(status) : status === 404, `${status}`);
}

async function makeCall(world: World, rights: Rights, wished: Wish, tally: Tally) {
  const call = callOf(world, wished, world.people);
  const { must, may } = verdictOn(world.tree, rights, call);
  const answer = await send(world, call);
  const refusal = refusalOf(answer);
  const told = `${JSON.stringify(call)}: ${answer.status} ${JSON.stringify(answer.body)}`;
  if (refusal !== undefined) {
    assert.ok([...must, ...may].includes(refusal), `${told}, expected ${must} or ${may}`);
    tally.add(refusal);
    return;
  }
  assert.deepEqual(must, [], told);
  tally.add(call.do);
  await accept(world, call, answer.body);
}

async function accept(world: World, call: Call, body: { id?: number; owner_id?: number } | null) {
  const made = body?.id ?? 0;
  if (call.do === 'copy') await acceptCopy(world, call, made);
  else world.tree = after(world.tree, call, made);
  if (call.do === 'transfer') assert.equal(body?.owner_id, call.user);
  if (['create', 'upload'].includes(call.do)) world.ids.push(made);
  if (call.do === 'purge') {
    await collectAll(server.services);
    world.tree = swept(world.tree);
  }
}

async function acceptCopy(world: World, call: Call & { do: 'copy' }, made: number) {
  const copied = placed(world.tree, snapshot(world.tree, call.cog), { ...call, made });
  const shown = await everything(world.people[0] as Client, world.rootId);
  assert.equal(difference(copied, world.rootId, shown), undefined, JSON.stringify(call));
  world.tree = idsByPath(copied, world.rootId, shown);
  world.ids = [...new Set([...world.ids, ...world.tree.keys()])];
}

/** Somebody reads something, and sees what the model has, as far as they may. */
async function look(world: World, rights: Rights, dice: number) {
  const { tree, ids, people } = world;
  const by = people[dice % people.length] as Client;
  const id = ids[(dice >> 3) % ids.length] ?? 0;
  const sees = (node: Node) => rights.may(by.user.id, 'view', node.id);
  const status = !isLive(tree, id) ? 404 : rights.may(by.user.id, 'view', id) ? 200 : 403;
  const idsOf = (nodes: { id: number }[]) => nodes.map((node) => node.id).sort();
  const told = `${by.user.first_name} looks at ${id}`;

  const path = await by.get(`/cogs/${id}/path`);
  assert.equal(path.status, status, told);
  if (status === 200) assert.deepEqual(idsOf(path.body), idsOf(wayUp(tree, id).filter(sees)), told);

  const { body: cog, ...answer } = await by.get(`/cogs/${id}`);
  assert.equal(answer.status, status, told);
  const node = tree.get(id);
  if (status === 200) assert.deepEqual([cog.name, cog.parent_id], [node?.name, node?.parent], told);

  if (status === 200 && node?.contents) {
    const { body: versions } = await by.get(`/cogs/${id}/versions`);
    assert.equal(versions.length, node.contents.length, told);
    const at = dice % node.contents.length;
    const text = await by.fetch(`/cogs/${id}/download?version=${at + 1}`);
    assert.equal(await text.text(), node.contents[at]?.text, told);
  } else if (status === 200) {
    const { body } = await by.get(`/cogs/?parent_id=${id}&limit=1000`);
    assert.deepEqual(idsOf(body), idsOf(liveChildren(tree, id).filter(sees)), told);
  }

  const q = ['a', '%', 'CAF', 'e\u0301'][dice % 4] ?? '';
  const { body: found } = await by.get(`/cogs/search?q=${encodeURIComponent(q)}&limit=1000`);
  const part = q.normalize('NFC').toLowerCase();
  const named = [...tree.values()].filter(({ name }) => name.toLowerCase().includes(part));
  const expected = named.filter((one) => isLive(tree, one.id) && sees(one));
  assert.deepEqual(idsOf(found), idsOf(expected), `${told} and searches ${q}`);
}

async function compareAll(world: World) {
  const { tree, rootId, tenantId, people } = world;
  const admin = people[0] as Client;
  const shown = await everything(admin, rootId);
  assert.equal(difference(tree, rootId, shown), undefined);
  assert.deepEqual(
    await trashIds(admin),
    trashOf(tree)
      .map(({ id }) => id)
      .sort(),
  );
  await assertWholeTree(db, tenantId);
  await collectAll(server.services);
  const { used_bytes, reserved_bytes } = await readUsage(db, tenantId);
  assert.deepEqual([used_bytes, reserved_bytes], [bytesOf(tree), 0]);
  assert.equal((await findMiscounted(db)).length, 0);
}
