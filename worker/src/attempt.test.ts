import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createClient } from '@cogworks/sdk/client';
import type { WorkOrder } from '@cogworks/sdk/contract.gen';
import { startAttempt } from './attempt.ts';
import { AttemptError } from './attempt-error.ts';
import type { Executor } from './executor.ts';
import type { Log } from './log.ts';

const order: WorkOrder = {
  attempt_id: 5,
  lease_token: 'token',
  run_id: 1,
  node_key: 'a',
  image: 'registry.example/tool:1',
  registry: { server: 'registry.example', username: 'me', password: 'registry-password' },
  command: ['true'],
  env: {},
  params: {},
  secrets: ['a-secret-value'],
  variables: {},
  input_ports: [],
  inputs: [],
  outputs: [],
  resources: { cpu: 1, memory_mb: 1, gpu: 0, disk_mb: 1 },
  timeout_seconds: 1,
  network: 'none',
};

const silent: Log = { info: () => {}, warn: () => {}, error: () => {} };

/** An attempt whose outcome is given by `execute`, and the calls the server received. */
function attempt(
  execute: Executor['execute'],
  given: WorkOrder = order,
  pages: Record<string, Response> = {},
) {
  const calls: { path: string; body: Record<string, unknown> }[] = [];
  const fetch = async (input: unknown, init?: RequestInit) => {
    calls.push({ path: new URL(String(input)).pathname, body: JSON.parse(String(init?.body)) });
    if (String(input).endsWith('/uploads')) {
      return Response.json([{ object_id: 1, url: 'http://storage.test/1' }], { status: 201 });
    }
    const { start } = calls.at(-1)?.body ?? {};
    return pages[String(start)] ?? new Response(null, { status: 204 });
  };
  const client = createClient({ baseUrl: 'http://server.test', token: () => 'wkt', fetch });
  const executor: Executor = {
    name: 'scripted',
    capacity: order.resources,
    features: [],
    execute,
    close: async () => {},
  };
  const identity = { id: 3, token: 'wkt' };
  return { calls, ...startAttempt({ client, identity, executor, log: silent }, given) };
}

describe('an attempt', () => {
  it('tells the server what its executor tells, before it has a report', async () => {
    const { calls, report, fraction } = attempt(async (given, hooks, signal) => {
      assert.equal(given, order);
      hooks.onStarted();
      await hooks.onLog(Buffer.from('hello a-secret-value\n'));
      hooks.onProgress(0.5);
      const uploads = await hooks.openUploads([7], signal);
      assert.deepEqual(uploads, [{ object_id: 1, url: 'http://storage.test/1' }]);
      return { status: 'success', exit_code: 0, outputs: [] };
    });

    assert.deepEqual(await report, { status: 'success', exit_code: 0, outputs: [] });
    assert.equal(fraction(), 0.5);
    const ofKind = (kind: string) => calls.find(({ path }) => path.endsWith(`/attempts/5/${kind}`));
    assert.deepEqual(ofKind('started')?.body, { lease_token: 'token' });
    assert.deepEqual(ofKind('uploads')?.body.files, [{ size_bytes: 7 }]);
    const log = Buffer.from(String(ofKind('logs')?.body.data), 'base64').toString();
    assert.equal(log, 'hello ***\n');
  });

  it('begins when all pages of its inputs have been read', async () => {
    const input = (name: string) => ({
      ...{ port: 'in', cardinality: 'many' as const, name, url: `http://storage.test/${name}` },
      ...{ size_bytes: 1, checksum_sha256: '0'.repeat(64) },
    });
    const names: string[] = [];
    const { calls, report } = attempt(
      async ({ inputs, more_inputs }) => {
        assert.equal(more_inputs, undefined);
        names.push(...inputs.map(({ name }) => name));
        return { status: 'success' };
      },
      { ...order, inputs: [input('a')], more_inputs: '0.0.1' },
      {
        '0.0.1': Response.json({ inputs: [input('b'), input('c')], more_inputs: '1.0.0' }),
        '1.0.0': Response.json({ inputs: [] }),
      },
    );

    assert.deepEqual(await report, { status: 'success' });
    assert.deepEqual(names, ['a', 'b', 'c']);
    assert.deepEqual(
      calls.map(({ body }) => body),
      [
        { lease_token: 'token', start: '0.0.1' },
        { lease_token: 'token', start: '1.0.0' },
      ],
    );
  });

  it('does not begin without all of its inputs', async () => {
    const { report } = attempt(
      async () => assert.fail('It began.'),
      { ...order, more_inputs: '0.0.1' },
      { '0.0.1': Response.json({ detail: 'The lease is over.' }, { status: 409 }) },
    );

    assert.equal((await report)?.error_class, 'input_fetch');
  });

  it('adds the last words of a program that failed, with secrets masked', async () => {
    const { report } = attempt(async (_order, hooks) => {
      await hooks.onLog(Buffer.from('first\nno access with registry-password\n'));
      return { status: 'failure', error_class: 'exit_nonzero', error_message: 'exit code 1' };
    });

    assert.equal((await report)?.error_message, 'exit code 1: no access with ***');
  });

  it('is a failure with the class of the error that its executor throws', async () => {
    const cases: [error: Error, error_class: string][] = [
      [new AttemptError('image_not_found', 'There is none.'), 'image_not_found'],
      [Object.assign(new Error('write'), { code: 'ENOSPC' }), 'disk_full'],
      [new Error('unforeseen'), 'infrastructure'],
    ];
    for (const [error, error_class] of cases) {
      const { report } = attempt(() => Promise.reject(error));
      const { message: error_message } = error;
      assert.deepEqual(await report, { status: 'failure', error_class, error_message });
    }
  });

  const untilAborted = (signal: AbortSignal) =>
    new Promise((resolve) => signal.addEventListener('abort', resolve));

  for (const [reason, status, error_class] of [
    ['cancel', 'cancelled', undefined],
    ['evicted', 'failure', 'evicted'],
    ['abandon', undefined, undefined],
  ] as const) {
    it(`that is stopped by ${reason} is reported as ${error_class ?? status ?? 'nothing'}`, async () => {
      const { report, stop, stopReason } = attempt(async (_order, _hooks, signal) => {
        await untilAborted(signal);
        return { status: 'cancelled' };
      });
      stop(reason);

      const ended = await report;
      assert.equal(ended?.status, status);
      assert.equal(ended?.error_class, error_class);
      assert.equal(stopReason(), reason);
    });
  }

  it('stays a success when the cancel comes too late', async () => {
    const { report, stop } = attempt(async (_order, _hooks, signal) => {
      await untilAborted(signal);
      return { status: 'success', exit_code: 0 };
    });
    stop('cancel');

    assert.equal((await report)?.status, 'success');
  });
});
