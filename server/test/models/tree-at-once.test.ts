/**
 * Random calls of several users on one tree at the same time: there is an order in which the model
 * answers each as the server did, and ends with the tree that the server shows.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { findMiscounted, readUsage } from '../../src/objects/quota.ts';
import { removePurged } from '../../src/resources/cogs/trash/trash.ts';
import { type Client, person } from '../cast.ts';
import { collectAll } from '../duties.ts';
import { testServer } from '../server.ts';
import { assertWholeTree } from '../whole-tree.ts';
import { inSomeOrder, type Made } from './orders.ts';
import { runsOf, Tally } from './runs.ts';
import { bytesOf, type Rights, swept, trashOf } from './tree-model.ts';
import {
  callOf,
  difference,
  everyKind,
  everything,
  idsByPath,
  openWorld,
  refusalOf,
  send,
  trashIds,
  type Wish,
  type World,
  wish,
} from './tree-world.ts';

const server = await testServer();
const { db } = server.services;

/** Three admins, so that rights decide nothing here. */
async function worldOfAdmins(): Promise<World> {
  const world = await openWorld(server);
  const more = ['second', 'third'].map((name) => person(server, world.tenantId, name, 'admin'));
  return { ...world, people: [world.people[0] as Client, ...(await Promise.all(more))] };
}

const rights: Rights = { isAdmin: () => true, may: () => true, ownsAll: () => true };

const waves = fc.array(fc.array(wish, { minLength: 2, maxLength: 5 }), {
  minLength: 1,
  maxLength: 12,
  size: 'max',
});

describe('calls on a tree at the same time', () => {
  it('are answered as in some order', async (test) => {
    const tally = new Tally();
    await fc.assert(
      fc.asyncProperty(fc.array(wish, { maxLength: 8, size: 'max' }), waves, async (first, all) => {
        const world = await worldOfAdmins();
        for (const one of first) await wave(world, [one], tally);
        for (const one of all) await wave(world, one, tally);
        await collectAll(server.services);
        const { used_bytes } = await readUsage(db, world.tenantId);
        assert.equal(used_bytes, bytesOf(world.tree));
        assert.equal((await findMiscounted(db)).length, 0);
      }),
      // A race does not repeat: nothing could be shrunk.
      { ...runsOf(12, test), endOnFailure: true, examples: [[everyKind, [everyKind.slice(0, 2)]]] },
    );
    test.diagnostic(String(tally));
    for (const kind of ['create', 'upload', 'change', 'copy', 'write', 'delete', 'restore'])
      assert.ok(tally.counts.has(kind), `no ${kind} was ever accepted`);
  });
});

async function wave(world: World, wishes: Wish[], tally: Tally) {
  const calls = wishes.map((one) => callOf(world, one, world.people));
  const answers = await Promise.all(calls.map((call) => send(world, call)));
  const made = calls.map((call, at): Made => {
    const answer = answers[at];
    if (!answer) throw new Error('There is an answer to every call.');
    const refusal = refusalOf(answer);
    tally.add(refusal ?? call.do);
    return { call, refusal, id: answer.body?.id ?? 0 };
  });
  const admin = world.people[0] as Client;
  const shown = await everything(admin, world.rootId);
  const trash = String(await trashIds(admin));
  let nearest = 'no order fits the answers';
  const tree = inSomeOrder(world.tree, rights, made, (end) => {
    const ids = trashOf(end).map(({ id }) => id);
    const other = difference(end, world.rootId, shown);
    nearest = other ?? `in the trash are ${trash}, not ${ids}`;
    return other === undefined && String(ids.sort()) === trash;
  });
  const told = made.map(({ call, refusal }) => `${JSON.stringify(call)}: ${refusal ?? 'done'}`);
  const before = [...world.tree.values()].map((node) => JSON.stringify(node));
  assert.ok(tree, [nearest, ...told, 'before:', ...before].join('\n'));

  await assertWholeTree(db, world.tenantId);
  while ((await removePurged(db, 100)) > 0);
  world.tree = swept(idsByPath(tree, world.rootId, shown));
  world.ids = [...new Set([...world.ids, ...world.tree.keys()])];
}
