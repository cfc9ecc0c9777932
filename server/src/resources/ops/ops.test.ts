import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { cast, client } from '../../../test/cast.ts';
import { filesOf, run, stage, versionOf } from '../../../test/runs.ts';
import { startServer } from '../../../test/server.ts';
import { statementsOf } from '../../../test/statements.ts';
import { until } from '../../../test/until.ts';
import { mappedGraph, registerNode } from '../../../test/workflows.ts';

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

/** The samples of `/metrics`, by name and labels. */
async function samples(url: string): Promise<Map<string, number>> {
  const { body } = await client(url).get('/metrics');
  const lines = (body as string).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const at = line.lastIndexOf(' ');
      return [line.slice(0, at), Number(line.slice(at + 1))];
    }),
  );
}

describe('the metrics', () => {
  it('say what waits, runs and has ended', async () => {
    const server = await startServer();
    const people = await stage(server);
    const { owner, worker } = people;
    const version = await versionOf(owner, mappedGraph(await registerNode(owner)));
    const [one = 0, other = 0] = await filesOf(owner, 'one.txt', 'other.txt');
    await run(owner, version, { cog_ids: [one, other] });
    const waiting = await samples(server.url);
    assert.equal(waiting.get('cogworks_queue_depth{reason="worker"}'), 2);
    assert.equal(waiting.get('cogworks_runs_under_way{status="queued"}'), 1);
    assert.equal(waiting.get('cogworks_workers{status="online"}'), 1);
    assert.ok((waiting.get('cogworks_stored_bytes') ?? 0) > 0);

    const [order] = await worker.acquire(1);
    assert.ok(order);
    await until(
      'measured anew',
      async () => (await samples(server.url)).get('cogworks_leases') === 1,
    );
    await worker.fail(order);
    await worker.work();
    await until('measured anew', async () => {
      const now = await samples(server.url);
      const ended = now.get('cogworks_runs_finished_total{status="partial_success"}');
      return ended === 1 && now.get('cogworks_queue_depth{reason="worker"}') === 0;
    });
  });

  it('are those that the Grafana dashboard draws, and all of ours are drawn', async () => {
    const server = await startServer();
    const names = server.services.metrics.registry.getMetricsAsArray().map(({ name }) => name);
    const file = join(import.meta.dirname, '../../../../docs/grafana/cogworks.json');
    const expressions = [
      ...(await readFile(file, 'utf8')).matchAll(/"expr": "((?:[^"\\]|\\.)*)"/g),
    ].map(([, expression = '']) => expression);
    const drawn = new Set(
      expressions
        .flatMap((expression) => expression.match(/[a-z]+_[a-z0-9_]+/g) ?? [])
        .map((name) => name.replace(/_(bucket|count|sum)$/, ''))
        .filter(
          (name) => !['histogram_quantile', '__rate_interval', 'rate_interval'].includes(name),
        ),
    );
    assert.deepEqual(
      [...drawn].filter((name) => !names.includes(name)),
      [],
    );
    const ours = names.filter((name) => /^(cogworks|storage|http)_/.test(name));
    assert.deepEqual(
      ours.filter((name) => !drawn.has(name)),
      [],
    );
  });
});
