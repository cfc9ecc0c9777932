import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cast, client } from '../../../test/cast.ts';
import { startServer } from '../../../test/server.ts';
import { statementsOf } from '../../../test/statements.ts';

describe('what operators may ask without credentials', () => {
  it('asks database and storage once, however many ask at the same time', async () => {
    const server = await startServer();
    const { storage } = server.services;
    const { check } = storage;
    let checks = 0;
    storage.check = async () => {
      checks += 1;
      return check();
    };
    const anybody = client(server.url);

    const { statements } = await statementsOf(server, async () => {
      const answers = Array.from({ length: 50 }, () => anybody.get('/readyz'));
      for (const { status } of await Promise.all(answers)) assert.equal(status, 200);
    });

    assert.deepEqual([statements, checks], [1, 1]);
  });

  it('says when it is not ready, and again when it is', async () => {
    const server = await startServer();
    const { storage } = server.services;
    const { check } = storage;
    const anybody = client(server.url);
    storage.check = async () => {
      throw new Error('not mounted');
    };

    const { status, body } = await anybody.get('/readyz');
    assert.deepEqual([status, body.detail], [503, 'The storage does not answer.']);

    storage.check = check;
    while ((await anybody.get('/readyz')).status !== 200);
  });

  it('tells nothing of tenants and users', async () => {
    const { server, owner } = await cast();
    await owner.upload('secret name', 'x');
    for (const path of ['/healthz', '/readyz', '/metrics']) {
      const { status, body } = await client(server.url).get(path);
      assert.equal(status, 200);
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      for (const word of ['secret name', 'Home', owner.user.email, 'tenant']) {
        assert.equal(text.includes(word), false, `${path} tells ${word}`);
      }
    }
  });
});
