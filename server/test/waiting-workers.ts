/** Workers that wait for work at a server, and what may wake them. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { TestServer } from './server.ts';
import type { ScriptedWorker } from './worker.ts';

export const roomOfWorker = { cpu: 8, memory_mb: 16_384, gpu: 0, disk_mb: 100_000 };

/** Asks for work at that server, one order by default. @returns once the request waits. */
export async function waitAt({ services }: TestServer, { id, epoch }: ScriptedWorker, max = 1) {
  const ask = { worker_id: id, epoch, free: roomOfWorker, max };
  const answer = services.rounds.ask(ask, 25_000, new AbortController().signal);
  // A round for something else takes it along, and has nothing for it.
  const report = { lease_token: '', status: 'failure' as const, outputs: [] };
  const nothing = { attempt_id: 999_999_999, worker_id: id, report, looked: false };
  await assert.rejects(services.rounds.do({ do: 'report', ...nothing }));
  return { answer };
}

/** The fallback poll runs once a second: in this test only notices may wake a worker. */
export function withoutFallback(t: TestContext): void {
  const { setTimeout } = globalThis;
  const later = (work: () => void, ms?: number) => setTimeout(work, ms === 1000 ? 1e8 : ms);
  t.mock.method(globalThis, 'setTimeout', later);
}
