import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { cast, client } from '../../test/cast.ts';
import { startServer } from '../../test/server.ts';
import { scriptedWorker } from '../../test/worker.ts';
import { mappedGraph, registerNode, storeCredentials } from '../../test/workflows.ts';
import { makeLog } from '../log.ts';

function recorder(level: string) {
  const lines: string[] = [];
  const log = makeLog(level, { write: (line: string) => void lines.push(line) });
  return { log, written: () => lines.join('') };
}

describe('the log', () => {
  it('tells route, status, user and time of every request, and never a token, key or password', async () => {
    const { log, written } = recorder('trace');
    const server = await startServer({}, log);
    const { owner, admin } = await cast(server);
    await storeCredentials(admin);
    const key = (await owner.post('/api-keys', { description: 'log' })).body.access_key;
    const exchanged = await client(server.url).post('/api-keys/token', { api_key: key });
    await client(server.url).get('/me', { headers: { 'x-api-key': key } });
    await client(server.url).get(`/me?access_token=${owner.token}`, {
      headers: { authorization: `Bearer ${owner.token}x` },
    });
    const worker = await scriptedWorker(server, owner.user.tenant_id);
    const version = (
      await owner.post('/workflows', { name: 'Log', graph: mappedGraph(await registerNode(owner)) })
    ).body;
    const file = (await owner.upload('a', 'a')).body.id;
    await owner.post(`/workflows/workflow-versions/${version.latest_version_id}/run`, {
      cog_ids: [file],
    });
    const [order] = await worker.acquire();
    await worker.succeed(order);
    await client(server.url).post('/auth/refresh-token', {
      refresh_token: 'refresh-token-of-somebody',
    });

    const signature = new URL(order.inputs[0].url).searchParams.get('signature') ?? '';
    const secrets = {
      key,
      signature,
      access: exchanged.body.access_token,
      bearer: owner.token,
      worker: worker.token,
      password: order.registry.password,
      lease: order.lease_token,
      refresh: 'refresh-token-of-somebody',
    };
    for (const [name, secret] of Object.entries(secrets)) {
      assert.ok(secret.length > 5, name);
      assert.ok(!written().includes(secret), `the log holds the ${name}`);
    }
    const lines = written()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const upload = lines.find((line) => line.route === '/cogs/upload-file');
    assert.equal(upload.status, 201);
    assert.equal(upload.user_id, owner.user.id);
    assert.equal(typeof upload.duration_ms, 'number');
    assert.match(upload.reqId, /^[0-9a-f-]{36}$/);
    // Log lines are not filtered, so only these fields may be logged.
    const known = 'level time reqId method route params status duration_ms user_id tenant_id msg';
    for (const line of lines.filter(({ msg }) => /^request( failed)?$/.test(msg))) {
      for (const field of Object.keys(line)) assert.ok(known.split(' ').includes(field), field);
    }
  });

  it('has what a 500 hides, under the error_id of the answer', async () => {
    const { log, written } = recorder('error');
    const server = await startServer({}, log);
    const { owner } = await cast(server);
    await server.services.db`alter table workflows rename to workflows_gone`;

    const { status, body } = await owner.get('/workflows');

    assert.equal(status, 500);
    assert.doesNotMatch(JSON.stringify(body), /workflows_gone|relation|select/);
    const line =
      written()
        .split('\n')
        .find((entry) => entry.includes(body.error_id)) ?? '';
    assert.match(line, /relation/);
  });
});
