import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cast } from '../../../test/cast.ts';
import {
  digestOf,
  manifestOf,
  pushBlob,
  pushImage,
  putManifest,
  registryClient,
} from '../../../test/registry.ts';
import { collectDeadObjects, collectReleased } from '../../objects/objects.ts';
import { removeUnusedBlobs } from './collecting.ts';

async function stage() {
  const people = await cast();
  const { server, owner } = people;
  const { db, storage } = server.services;
  const registry = await registryClient(server, owner);
  const tenantId = owner.user.tenant_id;
  const name = `t${tenantId}/tool`;
  const inHours = (hours: number) => new Date(Date.now() + hours * 3600 * 1000);
  const collect = async (hours: number) => {
    while ((await removeUnusedBlobs(db, inHours(hours), 100)) > 0);
    await collectReleased(db, inHours(hours), 1000);
    await collectDeadObjects({ db, storage }, new Date(), 1000);
  };
  const has = async (bytes: string) =>
    (await registry('GET', `${name}/blobs/${digestOf(bytes)}`)).status === 200;
  const objects = async () => (await db`select from objects where tenant_id = ${tenantId}`).count;
  return { ...people, db, registry, name, tenantId, collect, has, objects };
}

describe('a blob of an image', () => {
  it('is removed a day after nothing refers to it any more, with its bytes', async () => {
    const { registry, name, collect, has, objects } = await stage();
    const first = await pushImage(registry, name, '1', 'one');
    await pushImage(registry, name, '2', 'two');
    await collect(25);
    assert.deepEqual([await has('one'), await has('two'), await objects()], [true, true, 6]);

    await registry('DELETE', `${name}/manifests/${first.digest}`);
    await collect(23);
    assert.equal(await has('one'), true);
    await collect(25);
    assert.deepEqual([await has('one'), await has('two'), await objects()], [false, true, 3]);
    assert.equal((await registry('GET', `${name}/manifests/2`)).status, 200);
  });

  it('stays as long as another manifest has it', async () => {
    const { registry, name, collect, has } = await stage();
    const first = await pushImage(registry, name, '1', 'shared');
    const config = '{"other":true}';
    await pushBlob(registry, name, config);
    const other = manifestOf(['shared'], config);
    await putManifest(registry, `${name}/other`, '1', other);

    await registry('DELETE', `${name}/manifests/${first.digest}`);
    await collect(25);
    assert.deepEqual([await has('shared'), await has(first.config)], [true, false]);
    await registry('DELETE', `${name}/other/manifests/${digestOf(other)}`);
    await collect(25);
    assert.equal(await has('shared'), false);
  });

  it('stays with an untagged manifest, which definitions may name by its digest', async () => {
    const { registry, name, collect, has } = await stage();
    const { digest } = await pushImage(registry, name, '1', 'pinned');

    assert.equal((await registry('DELETE', `${name}/manifests/1`)).status, 202);
    await collect(25);
    assert.equal(await has('pinned'), true);
    assert.equal((await registry('GET', `${name}/manifests/${digest}`)).status, 200);
  });

  it('that may be elsewhere stays as well while a manifest has it', async () => {
    const { registry, name, collect, has } = await stage();
    await pushBlob(registry, name, 'foreign');
    await pushBlob(registry, name, '{}');
    const foreign = 'application/vnd.docker.image.rootfs.foreign.diff.tar.gzip';
    const text = manifestOf(['foreign', 'not here'], '{}').replaceAll(
      'application/vnd.oci.image.layer.v1.tar',
      foreign,
    );
    assert.equal((await putManifest(registry, name, '1', text)).status, 201);

    await collect(25);
    assert.equal(await has('foreign'), true);
    await registry('DELETE', `${name}/manifests/${digestOf(text)}`);
    await collect(25);
    assert.equal(await has('foreign'), false);
  });

  it('that a client was told of stays for another day', async () => {
    const { db, registry, name, tenantId, collect, has } = await stage();
    const { digest } = await pushBlob(registry, name, 'pushed long ago');
    await db`
      update registry_blobs set unused_since = now() - interval '23 hours'
      where tenant_id = ${tenantId}
    `;

    assert.equal((await registry('HEAD', `${name}/blobs/${digest}`)).status, 200);
    await collect(2);
    assert.equal(await has('pushed long ago'), true);
    await collect(25);
    assert.equal((await registry('HEAD', `${name}/blobs/${digest}`)).status, 404);
  });

  it('is not removed under a manifest that is being pushed', async () => {
    const { registry, name, collect } = await stage();
    const config = '{}';
    await pushBlob(registry, name, config);
    for (let round = 0; round < 10; round += 1) {
      const layer = `layer ${round}`;
      await pushBlob(registry, name, layer);
      const [put] = await Promise.all([
        putManifest(registry, name, String(round), manifestOf([layer], config)),
        collect(25),
      ]);
      if (put.status === 201) {
        const got = await registry('GET', `${name}/blobs/${digestOf(layer)}`);
        assert.deepEqual([got.status, got.text], [200, layer]);
      } else {
        assert.equal(put.code, 'MANIFEST_BLOB_UNKNOWN');
        await pushBlob(registry, name, config);
      }
    }
  });
});

describe('a manifest', () => {
  it('can be pushed and deleted at the same time', async () => {
    const { db, registry, name, tenantId } = await stage();
    const { digest, text } = await pushImage(registry, name, '1', 'again');
    const wait = async (count: number) => {
      const waiting = () => db`
        select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()
      `;
      while ((await waiting()).count < count);
    };
    const answers: ReturnType<typeof registry>[] = [];
    await db.transaction(async (tx) => {
      await tx`select from registry_manifests where tenant_id = ${tenantId} for update`;
      answers.push(registry('DELETE', `${name}/manifests/${digest}`));
      await wait(1);
      answers.push(putManifest(registry, name, '1', text));
      await wait(2);
    });
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    assert.deepEqual(statuses, [202, 201]);
    assert.equal((await registry('GET', `${name}/manifests/1`)).text, text);
  });
});
