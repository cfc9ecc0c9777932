import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { before, describe, it } from 'node:test';
import { type Cast, type Client, cast } from '../../../../test/cast.ts';
import { type Dav, davClient } from '../../../../test/dav.ts';
import { waitingFor } from '../../../../test/races.ts';
import { folder } from '../../../../test/sharing.ts';
import { until } from '../../../../test/until.ts';
import type { Transaction } from '../../../db/transaction.ts';

/**
 * Runs `change` while it and another transaction wait for each other: it locks the lowest of three
 * folders first and the highest last, the other one in the opposite order.
 *
 * @param folders from the highest to the lowest.
 */
async function inDeadlock<T>(
  { server }: Cast,
  [high, middle, low]: readonly number[],
  change: () => Promise<T>,
): Promise<T> {
  const { db } = server.services;
  const lock = (tx: Transaction, id = 0) => tx`select from cogs where id = ${id} for no key update`;
  const changed = Promise.withResolvers<T>();
  let hasEnded = false;
  const waits = (count: number) =>
    until(`${count} wait`, async () => {
      assert.equal(hasEnded, false, 'It ended without waiting.');
      return (await waitingFor(db)) === count;
    });
  await db.transaction(async (other) => {
    // PostgreSQL looks for a deadlock when a statement has waited for this time.
    await other`set local deadlock_timeout = '10min'`;
    await lock(other, high);
    const lockedLow = await db.transaction(async (gate) => {
      await lock(gate, middle);
      const end = change();
      end.then(changed.resolve, changed.reject);
      const note = () => {
        hasEnded = true;
      };
      end.then(note, note);
      await waits(1);
      const waiting = lock(other, low).send();
      await waits(2);
      return { waiting };
    });
    await lockedLow.waiting;
  });
  return changed.promise;
}

describe('a change that PostgreSQL ends, because it and another one wait for each other', () => {
  let people: Cast;
  let owner: Client;
  let dav: Dav;
  before(async () => {
    people = await cast();
    owner = people.owner;
    dav = await davClient(people.server, owner);
  });

  /** Three folders, one in the other, with names that are paths as well. */
  async function three() {
    const name = randomUUID();
    const high = await folder(owner, name);
    const middle = await folder(owner, 'middle', high.id);
    const low = await folder(owner, 'low', middle.id);
    return { ids: [high.id, middle.id, low.id], low, path: `/${name}/middle/low` };
  }

  const key = () => ({ headers: { 'idempotency-key': randomUUID() } });
  const newIn = (parent_id: number) => ({ name: 'new', cog_type: 'asset_folder', parent_id });
  const batchIn = (parent_id: number) => ({
    parent_id,
    files: [{ path: 'new/file', file_size: 1 }],
  });
  const ways: Record<
    string,
    (low: number, path: string, source: { id: number; name: string }) => Promise<{ status: number }>
  > = {
    'a new folder': (low) => owner.post('/cogs/', newIn(low)),
    'a new folder with an Idempotency-Key': (low) => owner.post('/cogs/', newIn(low), key()),
    'the folders of many uploads': (low) => owner.post('/cogs/uploads/batch', batchIn(low)),
    'a copy with an Idempotency-Key': (low, _, source) =>
      owner.post(`/cogs/${source.id}/copy`, { name: 'new', parent_id: low }, key()),
    'a copy of a selection with an Idempotency-Key': (low, _, source) =>
      owner.post('/cogs/copy', { cog_ids: [source.id], parent_id: low }, key()),
    'a move': (low, _, source) => owner.patch(`/cogs/${source.id}`, { parent_id: low }),
    'a move of a selection': (low, _, source) =>
      owner.post('/cogs/move', { cog_ids: [source.id], parent_id: low }),
    'a copy by WebDAV': (_, path, source) =>
      dav('COPY', `/${source.name}`, { headers: { destination: `/dav${path}/new` } }),
    'a new folder by WebDAV': (_, path) => dav('MKCOL', `${path}/new`),
  };
  for (const [way, change] of Object.entries(ways)) {
    it(`is done again: ${way}`, async () => {
      const { ids, low, path } = await three();
      const source = await folder(owner, randomUUID());

      const { status } = await inDeadlock(people, ids, () => change(low.id, path, source));

      assert.ok(status === 200 || status === 201, String(status));
      const { body } = await owner.get(`/cogs/?parent_id=${low.id}`);
      assert.deepEqual(
        body.map(({ name }: { name: string }) => name.replace(source.name, 'new')),
        ['new'],
      );
    });
  }
});
