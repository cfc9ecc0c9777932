import assert from 'node:assert/strict';
import { before, describe, it, type TestContext } from 'node:test';
import { cast } from '../../../test/cast.ts';
import { basic } from '../../../test/dav.ts';
import {
  layerBytes,
  layerDigest,
  storeTextImage,
  textImage,
} from '../../../test/platform-images.ts';
import {
  manifestOf,
  pushBlob,
  putManifest,
  registryClient,
  registryClientWith,
} from '../../../test/registry.ts';
import { startServer, type TestServer } from '../../../test/server.ts';
import { until } from '../../../test/until.ts';
import { makeWanted } from '../../images/builder.ts';
import { statesOf, wantImages } from '../../images/images.ts';
import { claimImage } from '../../images/queries.ts';
import { allImages, nameOf, recipes } from '../../images/recipes/all.ts';
import { keepPlatformImage } from './platform.ts';
import { pullCredentials } from './pull-credentials.ts';

const name = `platform/${textImage.name}`;
const path = `${name}/manifests/${textImage.tag}`;

describe('an image of the platform', () => {
  let server: TestServer;

  before(async () => {
    server = await startServer();
    await storeTextImage(server);
  });

  it('is pulled by every tenant and its workers, and in no tenant’s storage or list', async () => {
    const { owner, stranger, admin } = await cast(server);
    const { username, password } = pullCredentials(server.services.keys, owner.user.tenant_id);
    const registries = [
      await registryClient(server, owner),
      await registryClient(server, stranger),
      registryClientWith(server, basic(password, username)),
    ];

    for (const registry of registries) {
      const manifest = await registry('GET', path);
      assert.equal(manifest.status, 200);
      assert.equal(manifest.json.layers[0].digest, layerDigest);
      assert.equal((await registry('HEAD', path)).status, 200);
      const layer = await registry('GET', `${name}/blobs/${layerDigest}`);
      assert.deepEqual([layer.status, layer.text], [200, layerBytes]);
      const config = await registry('GET', `${name}/blobs/${manifest.json.config.digest}`);
      const { os, architecture } = config.json ?? JSON.parse(config.text);
      // Of the machine that made it, whatever this one is.
      assert.deepEqual([os, architecture], ['linux', 'arm64']);
      const tags = await registry('GET', `${name}/tags/list`);
      assert.deepEqual(tags.json, { name, tags: [textImage.tag] });
      assert.deepEqual((await registry('GET', '_catalog')).json.repositories, []);
    }
    assert.equal((await admin.get('/subscriptions')).body.storage_used_bytes, 0);
  });

  it('stays what it is, whatever is made of its recipe later', async () => {
    const { owner } = await cast(server);
    const registry = await registryClient(server, owner);
    const digestNow = async () =>
      (await registry('HEAD', path)).headers.get('docker-content-digest');
    const before = await digestNow();
    // Of newer packages; nothing of it is read.
    const digest = `sha256:${'0'.repeat(64)}`;
    const made = { digest, size_bytes: 1, diff_id: digest, architecture: 'amd64' };
    const other = { ...made, path: '/nowhere' };

    assert.equal(await keepPlatformImage(server.services, textImage, other), before);
    assert.equal(await digestNow(), before);
  });

  it('is changed by nobody', async () => {
    const { owner, admin } = await cast(server);

    for (const user of [owner, admin]) {
      const registry = await registryClient(server, user);
      for (const refused of [
        await registry('POST', `${name}/blobs/uploads/`),
        await putManifest(registry, name, 'latest', manifestOf([layerBytes], 'a')),
        await registry('DELETE', path),
      ]) {
        assert.deepEqual([refused.status, refused.code], [403, 'DENIED']);
      }
      const own = `t${user.user.tenant_id}/tool`;
      const mount = `${own}/blobs/uploads/?mount=${layerDigest}&from=${name}`;
      assert.equal((await registry('POST', mount)).status, 202);
      await pushBlob(registry, own, 'config');
      const copy = await putManifest(registry, own, '1', manifestOf([layerBytes], 'config'));
      assert.equal(copy.code, 'MANIFEST_BLOB_UNKNOWN');
    }
  });

  it('is no organization that platform admins see', async () => {
    const { owner, server: here } = await cast(server);
    await here.services.db`update users set is_platform_admin = true where id = ${owner.user.id}`;
    await here.services.db`select pg_notify('callers', 'user ' || ${owner.user.id}::text)`;
    const [hidden] = await here.services.db<{ id: number }[]>`
      select id from tenants where is_platform
    `;

    // Servers learn of it by a notice.
    const listed = await until('it is known', async () => {
      const answer = await owner.get('/platform/tenants/?limit=1000');
      return answer.status !== 403 && answer;
    });

    const ids = listed.body.map(({ id }: { id: number }) => id);
    assert.ok(hidden && ids.includes(owner.user.tenant_id) && !ids.includes(hidden.id));
    assert.equal((await owner.get(`/platform/tenants/${hidden.id}`)).status, 404);
    assert.equal((await owner.patch(`/platform/tenants/${hidden.id}`, { name: 'X' })).status, 404);
  });

  it('is made by another server if the one that makes it has died', async () => {
    const { db } = server.services;
    const image = nameOf(recipes.documents);
    await db`delete from platform_images where name = ${image.name}`;
    await wantImages(db, [image]);

    assert.deepEqual(await claimImage(db, allImages, 30), image);
    assert.equal(await claimImage(db, allImages, 30), undefined);
    await db`update platform_images set updated_at = now() - interval '31 seconds'`;
    assert.deepEqual(await claimImage(db, allImages, 30), image);
    await db`delete from platform_images where name = ${image.name}`;
  });

  it('is left to other servers by one that can make none, which says why if there are none', async (test) => {
    const { wantedFor, db } = await serverWithoutApt(test, server);

    assert.deepEqual(await wantedFor(10), ['building', undefined]);
    // Another server makes another image first, and then begins with this one.
    await db`
      insert into platform_images (name, tag, state, updated_at)
      values ('other', ${textImage.tag}, 'building', now() + interval '1 minute')
    `;
    assert.deepEqual(await wantedFor(31), ['building', undefined]);
    await db`update platform_images set state = 'ready', digest = 'x' where name = 'other'`;
    assert.deepEqual(await wantedFor(31), ['building', undefined]);
    await db`update platform_images set updated_at = now() - interval '31 s' where name = 'other'`;
    const [state, step] = await wantedFor(31);

    assert.equal(state, 'failed');
    assert.match(step ?? '', /^This machine lacks apt, dpkg, tar, gzip, dash: /);
  });

  it('whose maker has died is left to other servers as long', async (test) => {
    const { wantedFor, image, db } = await serverWithoutApt(test, server);
    assert.deepEqual(await claimImage(db, [image], 30), image);

    assert.deepEqual(await wantedFor(40), ['building', undefined]);
    assert.equal((await wantedFor(61))[0], 'failed');
  });

  it('is left for longer where several servers run, which may all be busy', async (test) => {
    const { wantedFor, db } = await serverWithoutApt(test, server);
    await db`
      insert into server_processes (id, role, host, pid)
      select gen_random_uuid(), 'serve', 'host ' || n, 1 from generate_series(1, 2) as n
    `;

    assert.deepEqual(await wantedFor(200), ['building', undefined]);
    const [state, step] = await wantedFor(301);

    assert.equal(state, 'failed');
    assert.match(step ?? '', /^This machine lacks apt/);
  });

  it('that is not there yet begins to be made with the first pull, which is to come again', async () => {
    const { owner } = await cast(server);
    const registry = await registryClient(server, owner);
    const missing = nameOf(recipes.documents);
    const of = `platform/${missing.name}/manifests/${missing.tag}`;

    for (const method of ['HEAD', 'GET']) {
      const { status, headers } = await registry(method, of);
      assert.deepEqual([status, headers.get('retry-after')], [404, '2']);
    }
    const [row] = await server.services.db<{ state: string }[]>`
      select state from platform_images where name = ${missing.name}
    `;
    assert.equal(row?.state, 'wanted');
    await server.services.db`
      update platform_images set state = 'failed', step = 'There is no network.'
      where name = ${missing.name}
    `;
    const failed = await registry('GET', of);
    assert.deepEqual([failed.status, failed.headers.get('retry-after')], [404, null]);
    assert.match(failed.text, /could not be made. There is no network./);
    const unknown = await registry('GET', 'platform/text/manifests/000000000000');
    assert.deepEqual([unknown.status, unknown.code], [404, 'MANIFEST_UNKNOWN']);
    assert.match(unknown.text, /of another release/);
    const tags = await registry('GET', 'platform/nothing/tags/list');
    assert.match(tags.text, new RegExp(`begin with t${owner.user.tenant_id}/`));
  });
});

/** A server that can make no image, and what it does with one that nobody has touched for so long. */
async function serverWithoutApt(test: TestContext, { services }: TestServer) {
  const { db } = services;
  const image = nameOf(recipes.documents);
  const { signal } = new AbortController();
  const path = process.env.PATH;
  test.after(async () => {
    process.env.PATH = path;
    await db`delete from platform_images where name <> ${textImage.name}`;
    await db`delete from server_processes`;
  });
  process.env.PATH = '/nowhere';
  await db`update platform_images set updated_at = now() - interval '1 hour'`;
  await wantImages(db, [image]);
  const wantedFor = async (seconds: number) => {
    await db`
      update platform_images set updated_at = now() - ${seconds} * interval '1 second'
      where name = ${image.name}
    `;
    await makeWanted(services, signal);
    const [{ state, step } = { state: '' }] = await statesOf(db, [image]);
    return [state, step];
  };
  return { wantedFor, image, db };
}
