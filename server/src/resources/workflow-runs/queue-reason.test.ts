import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { filesOf, look, run, stage, versionOf } from '../../../test/runs.ts';
import { mappedGraph, registerNode } from '../../../test/workflows.ts';
import { queueReason, type Waiting } from './queue-reason.ts';

describe('what a node run waits for', () => {
  const pull = {
    last_error_class: 'image_pull',
    last_error_message: 'The registry at 127.0.0.1:5959 does not answer.',
  };
  const table: [string, Waiting, string | undefined][] = [
    ['is nothing when nothing is known', {}, undefined],
    ['is a worker', { queue_reason: 'no worker is online' }, 'no worker is online'],
    [
      'names what went wrong, and when it is tried again',
      { ...pull, retry_in_seconds: 9.2 },
      'the registry at 127.0.0.1:5959 does not answer, next try in 10 s',
    ],
    [
      'is minutes where it is long',
      { ...pull, retry_in_seconds: 312.5 },
      'the registry at 127.0.0.1:5959 does not answer, next try in 6 min',
    ],
    [
      'still names the last failure when the pause is over',
      { ...pull, queue_reason: 'all workers are busy' },
      'all workers are busy; the last try: the registry at 127.0.0.1:5959 does not answer',
    ],
    [
      'says how the program ended, with its last line',
      {
        last_error_class: 'exit_nonzero',
        last_exit_code: 75,
        last_error_message: 'exit code 75: service busy',
        retry_in_seconds: 5,
      },
      'the program ended with exit code 75: service busy, next try in 5 s',
    ],
    [
      'says how the program ended, though the worker did not',
      { last_error_class: 'exit_nonzero', last_exit_code: 1, retry_in_seconds: 5 },
      'the program ended with exit code 1, next try in 5 s',
    ],
    [
      'says that it took too long',
      {
        last_error_class: 'timeout',
        last_error_message: 'It ran longer than 60 s.',
        retry_in_seconds: 0.01,
      },
      'the program ran longer than 60 s, next try in 1 s',
    ],
    [
      'has words for a class without a message',
      { last_error_class: 'infrastructure', retry_in_seconds: 5 },
      'the worker could not run it, next try in 5 s',
    ],
    [
      'is one line, though the message has more',
      {
        last_error_class: 'exit_nonzero',
        last_error_message: 'first\nsecond',
        retry_in_seconds: 5,
      },
      'first, next try in 5 s',
    ],
  ];
  for (const [title, waiting, expected] of table) {
    it(title, () => assert.equal(queueReason(waiting), expected));
  }

  it('is short, however much the program wrote', () => {
    const told = `exit code 1: ${'x'.repeat(2000)}`;
    const reason = queueReason({
      last_error_class: 'exit_nonzero',
      last_error_message: told,
      retry_in_seconds: 5,
    });
    assert.match(reason ?? '', /^the program ended with exit code 1: x+…, next try in 5 s$/);
    assert.ok((reason ?? '').length < 230);
  });
});

describe('a node run whose image cannot be pulled', () => {
  it('says why after the first try already, and when the next one is', async () => {
    const { owner, worker, server } = await stage();
    const version = await versionOf(owner, mappedGraph(await registerNode(owner)));
    const { body } = await run(owner, version, { cog_ids: await filesOf(owner, 'a') });
    const [order] = await worker.acquire();

    await worker.complete(order, {
      status: 'failure',
      error_class: 'image_pull',
      error_message: 'The registry at 127.0.0.1:5959 does not answer.',
    });

    const waiting = (await look(owner, body.workflow_run_id)).node_runs[0];
    assert.equal(waiting.status, 'queued');
    assert.match(
      waiting.queue_reason,
      /^the registry at 127\.0\.0\.1:5959 does not answer, next try in [1-5] s$/,
    );
    assert.deepEqual(
      Object.keys(waiting).filter((name) => /^(last|retry)/.test(name)),
      [],
    );
    await server.services.db`update ready_queue set not_before = now()`;
    const due = (await look(owner, body.workflow_run_id)).node_runs[0];
    assert.match(due.queue_reason, /; the last try: the registry at 127\.0\.0\.1:5959 does not/);
    const [again] = await worker.acquire();
    assert.equal((await worker.succeed(again)).status, 204);
    const ended = (await look(owner, body.workflow_run_id)).node_runs[0];
    assert.deepEqual([ended.status, ended.queue_reason], ['success', undefined]);
  });
});
