/**
 * Fuzzing: every operation of the contract, with bodies, ids, queries and headers derived from its
 * schemas and from known attacks, over HTTP on a real database. The answer must never be a 500 or a
 * dropped connection, and every error is `{ detail }`.
 *
 * The seed is fixed. `FUZZ_SEED=7 FUZZ_RUNS=500` tries others, and reports the slowest answer.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { client } from '../cast.ts';
import { testServer } from '../server.ts';
import { scriptedWorker } from '../worker.ts';
import { type Attack, attackOn, type Described, describedOperations, isSafe } from './attacks.ts';
import { seeded } from './routes.ts';

const seed = Number(process.env.FUZZ_SEED ?? 20261122);
const runs = Number(process.env.FUZZ_RUNS ?? 40);

const server = await testServer();
const stage = await seeded();
const document = (await (await fetch(`${server.url}/openapi.json`)).json()) as object;
// Operations that delete come last.
const operations = describedOperations(document)
  .filter(isSafe)
  .toSorted((a, b) => Number(a.method === 'DELETE') - Number(b.method === 'DELETE'));
const worker = await scriptedWorker(server, stage.owner.user.tenant_id);
const senders = {
  user: stage.admin,
  worker: client(server.url, worker.token),
  public: client(server.url),
};
const idFor = (operation: Described, name: string) =>
  operation.security === 'worker' && name === 'id'
    ? String(worker.id)
    : stage.idFor(operation as never, name);
let slowest = { ms: 0, what: '' };
const answers = new Map<number, number>();

describe('whatever is sent to it, an operation answers, and never with a fault of ours', () => {
  for (const operation of operations) {
    it(`${operation.method} ${operation.path}`, async () => {
      const attack = attackOn(operation, (name) => idFor(operation, name));
      await fc.assert(
        fc.asyncProperty(attack, (one) => survives(operation, one)),
        { seed, numRuns: runs, endOnFailure: true },
      );
    });
  }

  it('and is still there', async () => {
    assert.equal((await fetch(`${server.url}/readyz`)).status, 200);
    if (!process.env.FUZZ_RUNS) return;
    console.log(`slowest: ${slowest.ms} ms, ${slowest.what}`);
    console.log([...answers].map(([status, count]) => `${status}: ${count}`).join(', '));
  });
});

async function survives(operation: Described, attack: Attack): Promise<void> {
  const began = performance.now();
  const answer = await senders[operation.security].fetch(attack.url, {
    method: operation.method,
    headers: attack.headers,
    redirect: 'manual',
    ...(attack.body === undefined ? {} : { body: attack.body }),
  });
  // A stream stays open; its headers are enough.
  const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream');
  if (isStream) await answer.body?.cancel();
  const text = isStream ? '' : await answer.text();
  const ms = Math.round(performance.now() - began);
  if (ms > slowest.ms) slowest = { ms, what: `${operation.id} ${attack.url}`.slice(0, 200) };

  answers.set(answer.status, (answers.get(answer.status) ?? 0) + 1);
  const told = `${answer.status} ${text.slice(0, 500)}`;
  assert.notEqual(answer.status, 500, told);
  if (answer.status < 400) return;
  if (!answer.headers.get('content-type')?.includes('json')) {
    assert.ok(answer.status === 404 || answer.status === 416, told);
    return;
  }
  const body = JSON.parse(text);
  assert.ok('detail' in body || 'error' in body, told);
  if (answer.status === 422) assert.ok(Array.isArray(body.detail), told);
}
