import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createClient } from './client.ts';
import { waitForRun } from './runs.ts';

/** A service on which a run goes on by one state each time it is asked for. */
function service(states: string[]) {
  const fetch = async (url: unknown) => {
    if (String(url).endsWith('/progress')) {
      const progress_percentage = 100 - states.length * 25;
      return Response.json({ progress_percentage, completed_nodes: 0, total_nodes: 1 });
    }
    return Response.json({ id: 7, status: states.length > 1 ? states.shift() : states[0] });
  };
  return createClient({ baseUrl: 'http://x', fetch: fetch as typeof globalThis.fetch });
}

describe('waitForRun', () => {
  it('resolves when the run has ended, and tells each change once', async () => {
    const told: [number, string][] = [];
    const run = await waitForRun(service(['queued', 'running', 'running', 'partial_success']), 7, {
      interval_ms: 1,
      onProgress: ({ progress_percentage }, status) => told.push([progress_percentage, status]),
    });

    assert.equal(run.status, 'partial_success');
    assert.deepEqual(told, [
      [25, 'queued'],
      [50, 'running'],
      [75, 'running'],
      [75, 'partial_success'],
    ]);
  });

  it('stops when it is told to', async () => {
    const signal = AbortSignal.timeout(20);
    await assert.rejects(waitForRun(service(['running']), 7, { signal, interval_ms: 5 }), {
      name: 'TimeoutError',
    });
  });
});
