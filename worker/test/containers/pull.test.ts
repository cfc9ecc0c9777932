import assert from 'node:assert/strict';
import { readdir, utimes } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { busyboxImage, pushImage } from '../../../tools/containers/images.ts';
import { startRegistry } from '../../../tools/containers/registry.ts';
import { mayEmulate } from '../../src/containers/architecture.ts';
import { openEngine } from '../../src/containers/engine.ts';
import { pullError } from '../../src/containers/pull.ts';
import { type Fixture, never, openFixture } from './fixture.ts';

const opened = await openFixture();
const skip = typeof opened === 'string' && opened;
const fixture = opened as Fixture;
const emulated = await mayEmulate();

describe('a pull', { skip }, () => {
  after(() => fixture.close());

  it('makes the image runnable and tells its digest', async () => {
    const { engine, image, registry } = fixture;

    const first = await engine.pull(image, registry.credentials, never);
    const again = await engine.pull(image, registry.credentials, never);
    const byDigest = await engine.pull(
      `${registry.server}/tools/busybox@${first.digest}`,
      registry.credentials,
      never,
    );

    assert.match(first.digest, /^sha256:[0-9a-f]{64}$/);
    assert.deepEqual(again, first);
    assert.deepEqual(byDigest, first);
  });

  it('follows a tag that moved', async () => {
    const { engine, registry } = fixture;
    const image = await busyboxImage();
    const target = { server: registry.server, repository: 'tools/moving', tag: 'latest' };
    const name = `${target.server}/${target.repository}`;
    await pushImage(image, target, registry.credentials);
    const before = await engine.pull(name, registry.credentials, never);

    await pushImage({ ...image }, target, registry.credentials, { Env: ['VERSION=2'] });
    const after = await engine.pull(name, registry.credentials, never);

    assert.notEqual(after.digest, before.digest);
    assert.notEqual(after.image_id, before.image_id);
  });

  const elsewhere = { skip: emulated && 'This machine may run programs of other processors.' };

  it('says that an image is made for other processors, each time', elsewhere, async () => {
    const { engine, registry } = fixture;
    const target = { server: registry.server, repository: 'tools/foreign', tag: '1' };
    await pushImage(await busyboxImage(), target, registry.credentials, {}, 's390x');

    for (const _ of ['first', 'again']) {
      await assert.rejects(
        engine.pull(`${target.server}/tools/foreign:1`, registry.credentials, never),
        {
          error_class: 'image_pull',
          message: /made for processors of kind s390x, and this worker/,
        },
      );
    }
  });

  it('refuses an image of the local store without credentials, and with wrong ones', async () => {
    const { engine, image, registry } = fixture;
    const wrong = { ...registry.credentials, password: 'guessed' };

    await assert.rejects(engine.pull(image, null, never), {
      error_class: 'registry_auth',
      message: `The registry ${registry.server} asks for credentials for the image tools/busybox:1, and none are stored.`,
    });
    await assert.rejects(engine.pull(image, wrong, never), {
      error_class: 'registry_auth',
      message: `The registry ${registry.server} refused the stored credentials for the image tools/busybox:1.`,
    });
  });

  it('refuses an image that another registry only claims to have', async () => {
    const { engine, image, registry } = fixture;
    const { digest } = await engine.pull(image, registry.credentials, never);
    const liar = createServer((_, response) => {
      response.writeHead(200, { 'docker-content-digest': digest }).end();
    }).listen(0, '127.0.0.1');
    await new Promise((listening) => liar.once('listening', listening));
    const address = liar.address();
    const port = typeof address === 'object' ? address?.port : 0;

    await assert.rejects(engine.pull(`127.0.0.1:${port}/mine/tool:1`, null, never), {
      name: 'AttemptError',
    });
    liar.close();
    liar.closeAllConnections();
  });

  it('says when there is no such image', async () => {
    const { engine, registry } = fixture;
    for (const name of ['tools/busybox:9', 'no/such:1', `tools/busybox@sha256:${'0'.repeat(64)}`]) {
      await assert.rejects(engine.pull(`${registry.server}/${name}`, registry.credentials, never), {
        error_class: 'image_not_found',
        message: `The registry ${registry.server} has no image ${name}.`,
      });
    }
    await assert.rejects(engine.pull('Not An Image', null, never), {
      error_class: 'image_not_found',
    });
  });

  it('says when the registry is away, as something to try again', async () => {
    const gone = await startRegistry({ folder: join(fixture.folder, 'gone') });
    await gone.stop();

    await assert.rejects(fixture.engine.pull(`${gone.server}/tools/busybox:1`, null, never), {
      error_class: 'image_pull',
      message: `The registry at ${gone.server} does not answer.`,
    });
  });

  it('can be aborted', async () => {
    await assert.rejects(
      fixture.engine.pull(fixture.image, fixture.registry.credentials, AbortSignal.abort()),
      { name: 'AbortError' },
    );
  });

  it('leaves no password on the disk', async () => {
    const files = await readdir(join(fixture.options.state_dir, 'runs'), { recursive: true });

    assert.deepEqual(
      files.filter((file) => /auth|pull-|run-/.test(file)),
      [],
    );
  });

  it('is needed again when the image was removed meanwhile', async () => {
    const { engine, image, registry } = fixture;
    assert.equal(await engine.removeOldestImages(0, 3600), 0);
    assert.ok((await engine.removeOldestImages(0, -1)) > 0);
    const lost = await fixture.spec(['/bin/true']);

    await assert.rejects(engine.run(lost, {}, never), { error_class: 'image_pull' });
    const again = await engine.pull(image, registry.credentials, never);
    const { result } = await fixture.run(['/bin/true'], { image_id: again.image_id });

    assert.equal(result.exit_code, 0);
  });

  it('is removed when there are too many, the one used longest ago first, never one in use', async () => {
    const { engine, registry } = fixture;
    const image = await busyboxImage();
    const ids: string[] = [];
    for (const name of ['used', 'old', 'new']) {
      const target = { server: registry.server, repository: `tools/${name}`, tag: '1' };
      await pushImage({ ...image }, target, registry.credentials, { Env: [`NAME=${name}`] });
      const reference = `${target.server}/${target.repository}:1`;
      ids.push((await engine.pull(reference, registry.credentials, never)).image_id);
    }
    const [used = '', old = '', fresh = ''] = ids;
    for (const [second, id] of [used, old].entries())
      await utimes(join(fixture.options.state_dir, 'runs/image-use', id), second + 1, second + 1);
    const stop = new AbortController();
    let removed = 0;

    await fixture.run(
      ['/bin/sleep', '60'],
      { image_id: used },
      {
        onStarted: async () => {
          removed = await engine.removeOldestImages(0, 3600).finally(() => stop.abort());
        },
      },
      stop.signal,
    );

    assert.equal(removed, 1);
    await assert.rejects(fixture.run(['/bin/true'], { image_id: old }), {
      error_class: 'image_pull',
    });
    for (const id of [used, fresh])
      assert.equal((await fixture.run(['/bin/true'], { image_id: id })).result.exit_code, 0);
  });

  it('keeps what a worker of before pulled', async () => {
    const { engine } = await openEngine(fixture.options);

    const found = await engine?.pull(fixture.image, fixture.registry.credentials, never);

    assert.equal(found?.image_id, fixture.image_id);
  });
});

describe("podman's words for a failed pull", () => {
  const image = { registry: 'r.example', repository: 'a', selector: '1', digest: null };
  const cases: [string, string][] = [
    [
      'Error: initializing source docker://r.example/a:1: reading manifest 1 in r.example/a: unauthorized: authentication required',
      'registry_auth',
    ],
    [
      'Error: initializing source docker://r.example/a:1: reading manifest 1 in r.example/a: manifest unknown: manifest unknown',
      'image_not_found',
    ],
    [
      'Error: initializing source docker://r.example/a:1: pinging container registry r.example: Get "https://r.example/v2/": dial tcp: lookup r.example: no such host',
      'image_pull',
    ],
    ['Error: requested access to the resource is denied', 'registry_auth'],
    ['Error: writing blob: no space left on device', 'image_pull'],
  ];
  it('are told without what a signed URL or an address lets one do', () => {
    const words =
      'Error: reading blob: Get "https://me:secret@cdn.example/blob?X-Signature=abc&token=def": EOF';
    assert.equal(
      pullError(image, null, words).message,
      'The image a:1 could not be pulled from the registry at r.example: reading blob: Get "https://cdn.example/blob": EOF',
    );
  });

  for (const [words, expected] of cases) {
    it(`mean ${expected}: ${words.slice(-50)}`, () =>
      assert.equal(pullError(image, null, words).error_class, expected));
  }
});
