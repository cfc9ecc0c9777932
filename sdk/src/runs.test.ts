import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createClient } from './client.ts';
import { waitForRun, watchRun } from './runs.ts';

type Told = [event: string, data: object];

const block = ([event, data]: Told) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
const runIs = (status: string): Told => ['run', { id: 7, status }];
const progressIs = (progress_percentage: number, expected = 1): Told => [
  'progress',
  { progress_percentage, nodes: [{ node_key: 'each', expected }] },
];
const nodeRun = (id: number, status: string) => ({ id, node_key: 'each', status, attempt: 1 });

/**
 * A service that sends these events of a run, each list on its own connection and followed by the
 * position 1, 2, …
 */
function service(connections: Told[][], reads: object[] = [{ id: 7, status: 'success' }]) {
  const asked: string[] = [];
  const fetch = async (url: unknown, { headers }: { headers?: Record<string, string> } = {}) => {
    const isStream = String(url).endsWith('/events');
    asked.push(isStream ? `events after ${headers?.['last-event-id'] ?? 'nothing'}` : 'run');
    if (!isStream) return Response.json(reads.length > 1 ? reads.shift() : reads[0]);
    const position = asked.filter((one) => one !== 'run').length;
    const told = connections.shift();
    if (!told) return Response.json({ detail: 'No.' }, { status: 404 });
    return new Response(`${told.map(block).join('')}id: ${position}\n\n:\n\n`);
  };
  const client = createClient({ baseUrl: 'http://x', fetch: fetch as typeof globalThis.fetch });
  return { client, asked };
}

describe('waitForRun', () => {
  it('resolves when the run has ended, and tells each change once', async () => {
    const told: [number, string][] = [];
    const { client } = service(
      [
        [
          ...[runIs('queued'), progressIs(25), runIs('running'), progressIs(50), progressIs(50)],
          ...[progressIs(75), runIs('partial_success'), progressIs(75)],
          ['end', {}],
        ],
      ],
      [{ id: 7, status: 'partial_success' }],
    );
    const run = await waitForRun(client, 7, {
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

  it('goes on where it was when the connection is cut', async () => {
    const { client, asked } = service([
      [runIs('queued'), progressIs(0)],
      [runIs('running')],
      [['end', {}]],
    ]);
    await waitForRun(client, 7);
    assert.deepEqual(asked, ['events after nothing', 'events after 1', 'events after 2', 'run']);
  });

  it('stops when it is told to', async () => {
    const stop = new AbortController();
    const { client } = service([[runIs('running'), progressIs(1)]]);
    const onProgress = () => stop.abort(new Error('enough'));
    await assert.rejects(waitForRun(client, 7, { signal: stop.signal, onProgress }), {
      message: 'enough',
    });
  });

  it('fails with what the service refuses', async () => {
    await assert.rejects(waitForRun(service([]).client, 7), { status: 404 });
  });
});

describe('watchRun', () => {
  it('reads the run at its beginning and its end, and makes the rest of what is told', async () => {
    const queued = { id: 7, status: 'queued', run_files: [], node_runs: [nodeRun(1, 'pending')] };
    const { client, asked } = service(
      [
        [
          ...[runIs('queued'), progressIs(0)],
          ...[runIs('running'), ['node_run', nodeRun(1, 'running')] as Told, progressIs(0)],
          ...[['node_run', nodeRun(1, 'success')] as Told, runIs('success'), progressIs(100)],
          ['end', {}],
        ],
      ],
      [queued, { ...queued, status: 'success', node_runs: [nodeRun(1, 'success')] }],
    );

    const seen: string[] = [];
    for await (const { run, progress } of watchRun(client, 7))
      seen.push(`${run.status} ${run.node_runs[0]?.status} ${progress.progress_percentage}`);

    assert.deepEqual(seen, [
      'queued pending 0',
      'running running 0',
      'success success 100',
      'success success 100',
    ]);
    assert.deepEqual(asked, ['events after nothing', 'run', 'run']);
  });

  it('reads it again when it is told to, and when there are more lanes than it knows', async () => {
    const first = { id: 7, status: 'running', run_files: [], node_runs: [nodeRun(1, 'running')] };
    const more = { ...first, node_runs: [nodeRun(1, 'success'), nodeRun(2, 'running')] };
    const { client } = service(
      [
        [
          ...[runIs('running'), progressIs(0), progressIs(10, 2)],
          ...[['reset', { reason: 'many_changes' }] as Told, progressIs(20, 2)],
          ['end', {}],
        ],
      ],
      [first, more, { ...more, error_message: 'read' }, { ...more, status: 'failure' }],
    );

    const seen = [];
    for await (const { run } of watchRun(client, 7))
      seen.push([run.node_runs.length, run.error_message, run.status]);

    assert.deepEqual(seen, [
      [1, undefined, 'running'],
      [2, undefined, 'running'],
      [2, 'read', 'running'],
      [2, undefined, 'failure'],
    ]);
  });

  it('keeps the counts of nodes of which later progress tells nothing', async () => {
    const told = (...nodes: object[]): Told => ['progress', { progress_percentage: 0, nodes }];
    const each = { node_key: 'each', expected: 12_000, cancelled: 0 };
    const gather = { node_key: 'gather', expected: 1, cancelled: 0 };
    const first = Array.from({ length: 1000 }, (_, at) => nodeRun(at, 'pending'));
    const { client, asked } = service(
      [
        [
          ...[runIs('running'), told(each, gather), told({ ...each, cancelled: 12_000 })],
          ...[told(), runIs('cancelled'), told({ ...gather, cancelled: 1 }), ['end', {}] as Told],
        ],
      ],
      [{ id: 7, status: 'running', run_files: [], node_runs: first }],
    );

    const seen = [];
    for await (const { nodes } of watchRun(client, 7))
      seen.push(nodes.map(({ node_key, cancelled }) => `${node_key} ${cancelled}`).join());

    assert.deepEqual(seen, [
      'each 0,gather 0',
      'each 12000,gather 0',
      'each 12000,gather 0',
      'each 12000,gather 1',
      'each 12000,gather 1',
    ]);
    assert.deepEqual(asked, ['events after nothing', 'run', 'run']);
  });
});
