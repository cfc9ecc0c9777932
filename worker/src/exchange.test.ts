import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createClient } from '@cogworks/sdk/client';
import type { WorkOrder } from '@cogworks/sdk/contract.gen';
import type { AgentState } from './agent-state.ts';
import type { Attempt } from './attempt.ts';
import { openExchange } from './exchange.ts';
import { noExecutor } from './executors/none.ts';
import type { Log } from './log.ts';

const silent: Log = { info: () => {}, warn: () => {}, error: () => {} };

type Call = { path: string; body: { reports?: { attempt_id: number }[]; max?: number } };

/** An agent with a server that answers exchanges by `answer`, and accepts all single reports. */
function agentWith(answer: (call: Call) => Response | Promise<Response>) {
  const calls: Call[] = [];
  const fetch = async (input: unknown, init?: RequestInit) => {
    const call = { path: new URL(String(input)).pathname, body: JSON.parse(String(init?.body)) };
    calls.push(call);
    if (call.path.endsWith('/complete')) return new Response(null, { status: 204 });
    return answer(call);
  };
  const agent: AgentState = {
    client: createClient({ baseUrl: 'http://server.test', token: () => 'wkt', fetch }),
    identity: { id: 3, token: 'wkt' },
    executor: noExecutor,
    log: silent,
    held: new Map(),
    stopping: new AbortController(),
    end: 'stopped',
  };
  const taken: WorkOrder[] = [];
  const deliver = openExchange(
    agent,
    (ended) => ended + 1,
    (order) => void taken.push(order),
  );
  const end = (attempt_id: number, outputs = 0) => {
    const attempt = { order: { attempt_id, lease_token: 'token' }, stopReason: () => undefined };
    return deliver(attempt as unknown as Attempt, {
      status: 'success',
      outputs: Array.from({ length: outputs }, () => ({}) as never),
    });
  };
  const paths = () => calls.map(({ path }) => path.replace('/workers/3/', ''));
  return { calls, taken, end, paths };
}

const all = (result: string, orders: object[] = []) => {
  return ({ body }: Call) =>
    Response.json({
      accepted: body.reports?.map(({ attempt_id }) => ({ attempt_id, result })),
      orders,
    });
};

describe('an exchange', () => {
  it('reports together what ends while a call is under way, and asks for as much again', async () => {
    const { calls, end, paths } = agentWith(all('ok'));

    await Promise.all([end(1), end(2), end(3)]);

    assert.deepEqual(paths(), ['exchange', 'exchange']);
    assert.deepEqual(
      calls.map(({ body }) => body.reports?.map(({ attempt_id }) => attempt_id)),
      [[1], [2, 3]],
    );
    assert.deepEqual(
      calls.map(({ body }) => body.max),
      [2, 3],
    );
  });

  it('takes the orders that come with the answer', async () => {
    const { taken, end } = agentWith(all('ok', [{ attempt_id: 9 }]));

    await end(1);

    assert.deepEqual(taken, [{ attempt_id: 9 }]);
  });

  it('is left for single reports where the server does not know it', async () => {
    const { end, paths } = agentWith(() =>
      Response.json({ detail: 'Not found.' }, { status: 404 }),
    );

    await end(1);
    await end(2);

    assert.deepEqual(paths(), ['exchange', 'attempts/1/complete', 'attempts/2/complete']);
  });

  it('reports again, and singly, what was not acknowledged', async () => {
    for (const answer of [
      all('failed'),
      all('ok of another release'),
      () => Response.json({ accepted: [], orders: [] }),
      () => Response.json({ detail: 'Too large.' }, { status: 413 }),
      () => Promise.reject(new TypeError('the network failed')),
    ]) {
      const { end, paths } = agentWith(answer);
      await end(1);
      assert.deepEqual(paths(), ['exchange', 'attempts/1/complete']);
    }
  });

  it('reports nothing again that is another worker’s by now', async () => {
    for (const result of ['lease_lost', 'not_found']) {
      const { end, paths } = agentWith(all(result));
      await end(1);
      assert.deepEqual(paths(), ['exchange']);
    }
  });

  it('leaves a report with many outputs to a call of its own', async () => {
    const { end, paths } = agentWith(all('ok'));

    await Promise.all([end(1, 501), end(2)]);

    assert.deepEqual(paths().sort(), ['attempts/1/complete', 'exchange']);
  });
});
