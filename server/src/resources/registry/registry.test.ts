import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Cast, cast } from '../../../test/cast.ts';
import { basic } from '../../../test/dav.ts';
import {
  digestOf,
  manifestOf,
  ociIndex,
  pushBlob,
  pushImage,
  putManifest,
  registryClient,
  registryClientWith,
} from '../../../test/registry.ts';
import { startServer } from '../../../test/server.ts';
import { usualLimits } from '../../limits.ts';
import { pullCredentials } from './pull-credentials.ts';

async function stage() {
  const people = await cast();
  const { server, owner, editor, admin, stranger } = people;
  const [mine, theirs, admins, strangers] = await Promise.all(
    [owner, editor, admin, stranger].map((one) => registryClient(server, one)),
  );
  if (!mine || !theirs || !admins || !strangers) throw new Error('Clients are missing.');
  const name = `${namespaceOf(people)}/tool`;
  return { ...people, registry: mine, theirs, admins, strangers, name };
}

const namespaceOf = ({ owner }: Cast) => `t${owner.user.tenant_id}`;

describe('the registry', () => {
  it('asks for an API key as the password of HTTP Basic, and takes any user name', async () => {
    const { server, registry } = await stage();
    const nobody = await registryClientWith(server)('GET', '');
    const wrong = await registryClientWith(server, basic('sk_wrong'))('GET', '');

    for (const { status, headers, code } of [nobody, wrong]) {
      assert.deepEqual([status, code], [401, 'UNAUTHORIZED']);
      assert.match(String(headers.get('www-authenticate')), /^Basic realm=/);
    }
    const { status, json } = await registry('GET', '');
    assert.deepEqual([status, json], [200, {}]);
    assert.equal((await registry('GET', '/v2')).status, 200);
  });

  it('gives back an image as it was pushed, by tag and by digest', async () => {
    const { registry, theirs, name } = await stage();
    const { digest, text, layer } = await pushImage(registry, name, 'v1');

    for (const reference of ['v1', digest]) {
      const got = await theirs('GET', `${name}/manifests/${reference}`);
      assert.deepEqual([got.status, got.text], [200, text]);
      assert.equal(got.headers.get('docker-content-digest'), digest);
      assert.equal(got.headers.get('content-type'), 'application/vnd.oci.image.manifest.v1+json');
      const head = await theirs('HEAD', `${name}/manifests/${reference}`);
      assert.equal(head.headers.get('content-length'), String(text.length));
      assert.equal(head.headers.get('docker-content-digest'), digest);
    }
    const blob = await theirs('GET', `${name}/blobs/${digestOf(layer)}`);
    assert.deepEqual([blob.status, blob.text], [200, layer]);
    const head = await theirs('HEAD', `${name}/blobs/${digestOf(layer)}`);
    assert.deepEqual([head.status, head.headers.get('content-length')], [200, '7']);
  });

  it('sends a range of a blob', async () => {
    const { registry, name } = await stage();
    const { digest } = await pushBlob(registry, name, '0123456789');
    const range = (text: string) =>
      registry('GET', `${name}/blobs/${digest}`, { headers: { range: text } });

    const part = await range('bytes=2-4');
    assert.deepEqual([part.status, part.text], [206, '234']);
    assert.equal(part.headers.get('content-range'), 'bytes 2-4/10');
    const rest = await range('bytes=7-');
    assert.equal(rest.text, '789');
    assert.equal((await range('bytes=10-')).status, 416);
  });

  it('answers for another tenant as for what does not exist', async () => {
    const { registry, strangers, stranger, name } = await stage();
    const { digest, layer } = await pushImage(registry, name, 'v1');
    const own = `t${stranger.user.tenant_id}/tool`;
    const begun = await registry('POST', `${name}/blobs/uploads/`);

    for (const [method, path] of [
      ['GET', 'manifests/v1'],
      ['HEAD', `blobs/${digestOf(layer)}`],
      ['GET', 'tags/list'],
      ['DELETE', `manifests/${digest}`],
      ['POST', 'blobs/uploads/'],
      ['PUT', 'manifests/v1'],
      ['GET', `referrers/${digest}`],
    ] as const) {
      const theirs = await strangers(method, `${name}/${path}`);
      const nobodys = await strangers(method, `t999999/tool/${path}`);
      assert.deepEqual([theirs.status, theirs.text], [404, nobodys.text], `${method} ${path}`);
    }
    // The same digests and ids below a name of their own.
    assert.equal((await strangers('GET', `${own}/blobs/${digestOf(layer)}`)).code, 'BLOB_UNKNOWN');
    const mount = `${own}/blobs/uploads/?mount=${digestOf(layer)}&from=${name}`;
    assert.equal((await strangers('POST', mount)).status, 202);
    const location = String(begun.headers.get('location')).replace(name, own);
    assert.equal((await strangers('PATCH', location, { body: 'x' })).code, 'BLOB_UPLOAD_UNKNOWN');
    assert.deepEqual((await strangers('GET', '_catalog')).json, { repositories: [] });
  });

  it('is read, but not written, with a key that may only read', async () => {
    const { server, owner, registry, name } = await stage();
    await pushImage(registry, name, 'v1');
    const { body } = await owner.post('/api-keys', { description: 'read', access: 'read' });
    const reader = registryClientWith(server, basic(body.access_key));

    assert.equal((await reader('GET', `${name}/manifests/v1`)).status, 200);
    const refused = await reader('POST', `${name}/blobs/uploads/`);
    assert.deepEqual([refused.status, refused.code], [403, 'DENIED']);
  });

  it('refuses names, digests and methods that it does not know', async () => {
    const { registry, name } = await stage();
    const namespace = name.split('/')[0];

    assert.equal(
      (await registry('POST', `${namespace}/Upper/blobs/uploads/`)).code,
      'NAME_INVALID',
    );
    assert.equal((await registry('GET', `${name}/blobs/sha256:12`)).code, 'DIGEST_INVALID');
    assert.equal((await registry('GET', `${name}/manifests/.no`)).code, 'MANIFEST_UNKNOWN');
    assert.equal((await registry('GET', `${name}/tags/list`)).code, 'NAME_UNKNOWN');
    const blob = `${name}/blobs/${digestOf('')}`;
    const deleted = await registry('DELETE', blob);
    assert.deepEqual([deleted.status, deleted.code], [405, 'UNSUPPORTED']);
    assert.equal(deleted.headers.get('allow'), 'GET, HEAD');
    assert.equal((await registry('GET', '_catalog?last=%00')).code, 'NAME_INVALID');
    assert.equal((await registry('GET', `${name}/nothing/here`)).status, 404);
    assert.equal((await registry('GET', `${name}/%E0%A4%A/tags/list`)).status, 400);
  });
});

describe('tags', () => {
  it('are listed in order and in pages', async () => {
    const { registry, name } = await stage();
    const { text } = await pushImage(registry, name, 'b');
    for (const tag of ['a', 'c', 'B']) await putManifest(registry, name, tag, text);

    const all = await registry('GET', `${name}/tags/list`);
    assert.deepEqual(all.json, { name, tags: ['B', 'a', 'b', 'c'] });
    const first = await registry('GET', `${name}/tags/list?n=3`);
    assert.deepEqual(first.json.tags, ['B', 'a', 'b']);
    const next = /<([^>]+)>; rel="next"/.exec(String(first.headers.get('link')))?.[1];
    const second = await registry('GET', String(next));
    assert.deepEqual(second.json.tags, ['c']);
    assert.equal(second.headers.get('link'), null);
    assert.deepEqual((await registry('GET', `${name}/tags/list?n=0`)).json.tags, []);
    assert.equal((await registry('GET', `${name}/tags/list?n=x`)).status, 400);
  });

  it('are moved and deleted by who made them, and by administrators', async () => {
    const { admin, registry, theirs, admins, name } = await stage();
    const first = await pushImage(registry, name, 'latest', 'one');
    const second = await pushImage(theirs, name, 'theirs', 'two');

    const moved = await putManifest(theirs, name, 'latest', second.text);
    assert.deepEqual([moved.status, moved.code], [403, 'DENIED']);
    assert.equal((await putManifest(theirs, name, 'latest', first.text)).status, 201);
    assert.equal((await theirs('DELETE', `${name}/manifests/latest`)).status, 403);
    assert.equal((await theirs('DELETE', `${name}/manifests/${first.digest}`)).status, 403);
    assert.equal((await registry('DELETE', `${name}/manifests/${second.digest}`)).status, 403);

    assert.equal((await putManifest(admins, name, 'latest', second.text)).status, 201);
    // It has a tag of somebody else now.
    assert.equal((await theirs('DELETE', `${name}/manifests/${second.digest}`)).status, 403);
    assert.equal((await registry('DELETE', `${name}/manifests/latest`)).status, 202);
    assert.equal((await theirs('DELETE', `${name}/manifests/${second.digest}`)).status, 202);
    assert.equal((await registry('GET', `${name}/manifests/theirs`)).code, 'MANIFEST_UNKNOWN');
    assert.equal((await admins('DELETE', `${name}/manifests/${first.digest}`)).status, 202);
    assert.equal((await admins('DELETE', `${name}/manifests/${first.digest}`)).status, 404);
    const { body } = await admin.get('/audit-events?action=image.');
    assert.deepEqual(
      body.map(({ target_id }: { target_id: string }) => target_id),
      [`${name}@${first.digest}`, `${name}@${second.digest}`, `${name}:latest`],
    );
  });

  it('belong to who takes over from their maker, whose uploads end', async () => {
    const { server, registry, theirs, name, owner, editor, admin } = await stage();
    const { text, digest } = await pushImage(registry, name, 'latest');
    const begun = await registry('POST', `${name}/blobs/uploads/`);
    await registry('PATCH', String(begun.headers.get('location')), { body: 'half' });
    const other = text.replace('{', '{ ');
    assert.equal((await putManifest(theirs, name, 'latest', other)).code, 'DENIED');

    const change = { status: 'disabled', successor_id: editor.user.id };
    assert.equal((await admin.patch(`/users/${owner.user.id}`, change)).status, 200);

    assert.equal((await registry('GET', `${name}/tags/list`)).status, 401);
    assert.equal((await putManifest(theirs, name, 'latest', other)).status, 201);
    assert.equal((await theirs('DELETE', `${name}/manifests/${digest}`)).status, 202);
    const pending = await server.services.db`
      select from objects where tenant_id = ${owner.user.tenant_id} and state = 'pending'
    `;
    assert.equal(pending.count, 0);
  });

  it('name repositories in the catalog', async () => {
    const { registry, name } = await stage();
    for (const end of ['z', 'a/b', 'm']) await pushImage(registry, `${name}/${end}`, '1', end);

    const names = ['a/b', 'm', 'z'].map((end) => `${name}/${end}`);
    assert.deepEqual((await registry('GET', '_catalog')).json, { repositories: names });
    const first = await registry('GET', '_catalog?n=2');
    assert.deepEqual(first.json.repositories, names.slice(0, 2));
    const next = /<([^>]+)>/.exec(String(first.headers.get('link')))?.[1];
    assert.deepEqual((await registry('GET', String(next))).json.repositories, names.slice(2));
  });
});

describe('a manifest', () => {
  it('is refused if what it refers to is not here, or has another size', async () => {
    const { registry, name } = await stage();
    const { layer, config } = await pushImage(registry, name, 'v1');

    const absent = await putManifest(registry, name, 'v2', manifestOf(['absent'], config));
    assert.deepEqual([absent.status, absent.code], [404, 'MANIFEST_BLOB_UNKNOWN']);
    assert.match(absent.text, new RegExp(digestOf('absent')));
    const wrong = manifestOf([layer], config).replace('"size":7', '"size":8');
    const sized = await putManifest(registry, name, 'v2', wrong);
    assert.deepEqual([sized.status, sized.code], [400, 'MANIFEST_INVALID']);
    assert.deepEqual((await registry('GET', `${name}/tags/list`)).json.tags, ['v1']);
  });

  it('is refused if it is not one, is too large, or has another digest', async () => {
    const { registry, name } = await stage();
    const { text, config, layer } = await pushImage(registry, name, 'v1');
    const put = async (body: string, type?: string, at = 'v2') =>
      (await putManifest(registry, name, at, body, type)).code;

    assert.equal(await put('{'), 'MANIFEST_INVALID');
    assert.equal(await put('[]'), 'MANIFEST_INVALID');
    assert.equal(await put(text, ociIndex), 'MANIFEST_INVALID');
    assert.equal(await put('{"schemaVersion":2}', 'text/plain'), 'MANIFEST_INVALID');
    assert.equal(await put(text, 'nothing'), 'UNSUPPORTED');
    assert.equal(await put(manifestOf([layer], config, { schemaVersion: 1 })), 'MANIFEST_INVALID');
    assert.equal(await put(manifestOf([layer], config, { layers: [{}] })), 'MANIFEST_INVALID');
    assert.equal(await put(manifestOf([layer], config, { subject: 7 })), 'MANIFEST_INVALID');
    for (const text of ['\0', '\ud800']) {
      for (const over of [{ annotations: { text } }, { annotations: { [text]: '' } }]) {
        assert.equal(await put(manifestOf([layer], config, over)), 'MANIFEST_INVALID');
      }
      const over = { artifactType: text };
      assert.equal(await put(manifestOf([layer], config, over)), 'MANIFEST_INVALID');
    }
    assert.equal(await put(text, undefined, digestOf('other')), 'DIGEST_INVALID');
    assert.equal(await put(text, undefined, digestOf(text)), undefined);
    const large = await putManifest(registry, name, 'v2', ' '.repeat(4 * 1024 * 1024 + 1));
    assert.deepEqual([large.status, large.code], [413, 'SIZE_INVALID']);
  });

  it('of several platforms refers to manifests of its repository', async () => {
    const { registry, theirs, admins, name } = await stage();
    const { digest, text } = await pushImage(registry, name, 'amd64');
    const index = JSON.stringify({
      schemaVersion: 2,
      mediaType: ociIndex,
      manifests: [{ mediaType: 'x/y', digest, size: text.length }],
    });

    const put = await putManifest(theirs, name, 'all', index, ociIndex);
    assert.equal(put.status, 201);
    const got = await registry('GET', `${name}/manifests/all`);
    assert.deepEqual([got.text, got.headers.get('content-type')], [index, ociIndex]);
    const elsewhere = await putManifest(registry, `${name}/other`, 'all', index, ociIndex);
    assert.equal(elsewhere.code, 'MANIFEST_BLOB_UNKNOWN');

    // A colleague's list would lead nowhere.
    const platform = `${name}/manifests/${digest}`;
    assert.equal((await registry('DELETE', platform)).code, 'DENIED');
    assert.equal((await admins('DELETE', platform)).status, 202);
  });

  it('about another one is found by it', async () => {
    const { registry, name } = await stage();
    const { digest, text, config, layer } = await pushImage(registry, name, 'v1');
    const subject = { mediaType: 'x/y', digest, size: text.length };
    const about = manifestOf([layer], config, {
      subject,
      artifactType: 'application/x.signature',
      annotations: { by: 'me' },
    });
    const put = await putManifest(registry, name, digestOf(about), about);
    assert.deepEqual([put.status, put.headers.get('oci-subject')], [201, digest]);

    const found = await registry('GET', `${name}/referrers/${digest}`);
    assert.equal(found.headers.get('content-type'), ociIndex);
    assert.deepEqual(found.json.manifests, [
      {
        mediaType: 'application/vnd.oci.image.manifest.v1+json',
        digest: digestOf(about),
        size: about.length,
        artifactType: 'application/x.signature',
        annotations: { by: 'me' },
      },
    ]);
    const other = await registry('GET', `${name}/referrers/${digest}?artifactType=a/b`);
    assert.deepEqual(
      [other.json.manifests, other.headers.get('oci-filters-applied')],
      [[], 'artifactType'],
    );
    assert.deepEqual(
      (await registry('GET', `${name}/referrers/${digestOf('')}`)).json.manifests,
      [],
    );
  });
});

describe('the limits of the registry', () => {
  it('are counted per user and for the workers of a tenant, not per address', async () => {
    const server = await startServer({ RATE_LIMIT_DEFAULT: '20' }, undefined, {
      limits: { registry: { ...usualLimits.registry, calls: 30 } },
    });
    const { owner, editor } = await cast(server);
    const mine = await registryClient(server, owner);
    const theirs = await registryClient(server, editor);
    const { username, password } = pullCredentials(server.services.keys, owner.user.tenant_id);
    const worker = registryClientWith(server, basic(password, username));

    for (let n = 0; n < 30; n += 1) assert.equal((await mine('GET', '')).status, 200);
    const refused = await mine('GET', '');
    assert.deepEqual([refused.status, refused.code], [429, 'TOOMANYREQUESTS']);
    assert.ok(Number(refused.headers.get('retry-after')) > 0);
    assert.equal((await theirs('GET', '')).status, 200);
    for (let n = 0; n < 30; n += 1) assert.equal((await worker('GET', '')).status, 200);
    assert.equal((await worker('GET', '')).status, 429);
  });

  it('stop guessing', async () => {
    const server = await startServer({ RATE_LIMIT_DEFAULT: '20' });
    const { owner } = await cast(server);
    const known = await registryClient(server, owner);
    assert.equal((await known('GET', '')).status, 200);
    const guess = (n: number) => registryClientWith(server, basic(`cwp_1_${n}_x`))('GET', '');

    for (let n = 0; n < 20; n += 1) assert.equal((await guess(n)).status, 401);
    assert.equal((await guess(20)).status, 429);
    assert.equal((await known('GET', '')).status, 200);
  });
});
