import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import { crc32 } from 'node:zlib';
import { cast, person } from '../../test/cast.ts';
import { objectGoesLive, recordObject } from '../../test/objects.ts';
import { heldUp } from '../../test/races.ts';
import type { Db } from '../db/connection.ts';
import { DomainError } from '../errors.ts';
import { createTenant } from '../resources/users/users.ts';
import {
  collectDeadObjects,
  extendPending,
  holdObjects,
  markDead,
  noteWhatIsStored,
  objectStored,
} from './objects.ts';
import { findObjectByKey } from './queries.ts';

async function oneTenant() {
  const { server, owner, stranger } = await cast();
  const { db, storage } = server.services;
  const tenantId = owner.user.tenant_id;
  return {
    server,
    db,
    storage,
    tenantId,
    otherTenantId: stranger.user.tenant_id,
    record: (expires_in_seconds = 600) => recordObject(db, tenantId, expires_in_seconds),
    write: async ({ id, key }: { id: number; key: string }) => {
      const stored = await storage.write(key, Readable.from([Buffer.from('bytes')]));
      await objectStored(db, tenantId, id, stored);
    },
    collect: (now = new Date(), limit = 1000) => collectDeadObjects({ db, storage }, now, limit),
  };
}

const expired = (error: unknown) => error instanceof DomainError && error.code === 'object_expired';

describe('an object', () => {
  it('goes live when its bytes are stored, stays so, and only in its tenant', async () => {
    const { db, tenantId, otherTenantId, record, write } = await oneTenant();
    const [object, dead] = [await record(), await record()];

    await assert.rejects(objectGoesLive(db, tenantId, object.id), expired, 'nothing is stored');
    await write(object);
    await assert.rejects(objectGoesLive(db, otherTenantId, object.id), expired);
    const live = await objectGoesLive(db, tenantId, object.id);

    assert.deepEqual([live.state, live.size_bytes], ['live', 5]);
    assert.equal((await objectGoesLive(db, tenantId, object.id)).state, 'live');
    await write(dead);
    await markDead(db, tenantId, [dead.id]);
    await assert.rejects(objectGoesLive(db, tenantId, dead.id), expired);
  });

  it('has a key of a number and a random name, whatever its tenant and its file are called', async () => {
    const { db, server } = await oneTenant();
    const tenantId = await createTenant(db, server.services.keys, '../../etc');
    const admin = await person(server, tenantId, '../admin', 'admin');
    await admin.upload('..%2f..%2fpasswd', 'x');

    const [object] = await db<{ key: string }[]>`
      select key from objects where tenant_id = ${tenantId}
    `;

    assert.match(object?.key ?? '', new RegExp(`^${tenantId}/[0-9a-f-]{36}$`));
  });

  it('is what the storage holds, where nobody saw its bytes come in', async () => {
    const { db, storage, tenantId, record, write } = await oneTenant();
    const [direct, seen, absent, dead] = [
      await record(),
      await record(),
      await record(),
      await record(),
    ];
    for (const { key } of [direct, dead])
      await storage.write(key, Readable.from([Buffer.from('direct')]));
    await write(seen);
    await markDead(db, tenantId, [dead.id]);

    const ids = [direct, seen, absent, dead].map(({ id }) => id);
    await noteWhatIsStored({ db, storage }, tenantId, ids);

    assert.equal((await objectGoesLive(db, tenantId, seen.id)).size_bytes, 5);
    const live = await objectGoesLive(db, tenantId, direct.id);
    assert.deepEqual(
      [live.size_bytes, live.checksum_sha256, live.crc32],
      [6, createHash('sha256').update('direct').digest('hex'), crc32('direct')],
    );
    for (const { id } of [absent, dead])
      await assert.rejects(objectGoesLive(db, tenantId, id), expired);
  });

  it('stays live when its maker, who never heard of the commit, lets go of it', async () => {
    const { db, tenantId, record, write } = await oneTenant();
    const object = await record();
    await write(object);
    await objectGoesLive(db, tenantId, object.id);

    await markDead(db, tenantId, [object.id]);

    assert.equal((await objectGoesLive(db, tenantId, object.id)).state, 'live');
  });

  it('is collected with its bytes when dead or past its time, and nothing else is', async () => {
    const { db, storage, tenantId, record, write, collect } = await oneTenant();
    const [live, dead, pending, overdue] = [
      await record(),
      await record(),
      await record(),
      await record(60),
    ];
    for (const object of [live, dead, pending, overdue]) await write(object);
    await objectGoesLive(db, tenantId, live.id);
    await markDead(db, tenantId, [dead.id]);

    await collect(new Date(Date.now() + 61_000));

    const left = [];
    for (const { key } of [live, dead, pending, overdue]) {
      left.push([(await findObjectByKey(db, key))?.state, (await storage.stat(key))?.size_bytes]);
    }
    assert.deepEqual(left, [
      ['live', 5],
      [undefined, undefined],
      ['pending', 5],
      [undefined, undefined],
    ]);
  });

  it('keeps its time when it is extended, and is never made to expire sooner', async () => {
    const { db, tenantId, record, collect } = await oneTenant();
    const [extended, long] = [await record(60), await record(6000)];

    await extendPending(db, tenantId, [extended.id, long.id], 600);
    await collect(new Date(Date.now() + 500_000));

    for (const { key } of [extended, long]) assert.ok(await findObjectByKey(db, key));
  });

  it('cannot go live any more once the collector has chosen it', async () => {
    const { db, tenantId, record, write, collect } = await oneTenant();
    const object = await record(60);
    await write(object);

    const [live] = await Promise.allSettled([
      objectGoesLive(db, tenantId, object.id),
      collect(new Date(Date.now() + 61_000)),
    ]);
    // A dead one that the other holds at that moment is left to the next round.
    await collect();

    const row = await findObjectByKey(db, object.key);
    assert.equal(row?.state, live.status === 'fulfilled' ? 'live' : undefined);
  });
});

describe('the collector', () => {
  it('that is judged to be unused is not taken into use meanwhile', async () => {
    const { db, tenantId, record, write } = await oneTenant();
    const object = await record();
    await write(object);
    await objectGoesLive(db, tenantId, object.id);
    const name = { tenant_id: tenantId, id: object.id };
    const judging = async (tx: Db) => {
      await tx`select from objects where id = ${object.id} for update`;
      await tx`update objects set state = 'dead' where id = ${object.id}`;
    };
    const goneOf = () => db.transaction((tx) => holdObjects(tx, [name]));

    assert.deepEqual(await heldUp(db, judging, goneOf), new Set());
    const gone = await heldUp(db, judging, goneOf, undefined, { keeps: true });
    assert.deepEqual(gone, new Set([object.id]));
  });

  it('goes on after a crash between the bytes and the row', async () => {
    const { db, storage, tenantId, record, write, collect } = await oneTenant();
    const object = await record();
    await write(object);
    await markDead(db, tenantId, [object.id]);
    await storage.remove(object.key);

    await collect();

    assert.equal(await findObjectByKey(db, object.key), undefined);
  });

  it('shares the work when several run, and stops at its limit', async () => {
    const { db, tenantId, record, collect } = await oneTenant();
    await collect(new Date(), 100_000);
    const ids = [];
    for (let count = 0; count < 12; count++) ids.push((await record()).id);
    await markDead(db, tenantId, ids);

    const counts = await Promise.all([collect(new Date(), 4), collect(new Date(), 4)]);
    const rest = await collect();

    assert.ok(counts.every((count) => count <= 4));
    assert.ok((counts[0] ?? 0) + (counts[1] ?? 0) + rest >= 12);
    const left = await db`select from objects where id = any(${ids})`;
    assert.equal(left.length, 0);
  });
});

describe('a table that refers to objects', () => {
  it('has an index for the question whether it does: one is asked for each object removed', async () => {
    const { db } = await oneTenant();

    const tables = await db<{ name: string; is_found: boolean }[]>`
      select
        conrelid::regclass::text as name,
        exists (
          select from pg_index
          where indrelid = conrelid
            and indkey[0] = any(conkey)
            and (indkey[0] <> conkey[1] or indkey[1] = conkey[2])
        ) as is_found
      from pg_constraint
      where contype = 'f' and confrelid = 'objects'::regclass
      order by name
    `;

    const names = [
      'attempt_uploads',
      'cogs',
      'file_versions',
      'node_run_outputs',
      // The source, and the preview itself.
      'previews',
      'previews',
      'registry_blobs',
      'run_files',
      'uploads',
    ];
    assert.deepEqual(
      [...tables],
      names.map((name) => ({ name, is_found: true })),
    );
  });
});
