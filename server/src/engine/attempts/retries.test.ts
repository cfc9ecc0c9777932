import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { afterFailure, type Budget } from './retries.ts';

const budget: Budget = {
  attempt: 1,
  max_attempts: 1,
  system_faults: 0,
  evictions: 0,
  retry_on: [],
  workers_lost: 0,
};

describe('after a failed attempt', () => {
  const table: [string, Parameters<typeof afterFailure>[0], Partial<Budget>, string][] = [
    [
      'a program that failed is not tried again by itself',
      { error_class: 'exit_nonzero', exit_code: 1 },
      {},
      'end exit_nonzero',
    ],
    [
      'one with attempts left is',
      { error_class: 'exit_nonzero', exit_code: 1 },
      { max_attempts: 2 },
      'user 5000',
    ],
    [
      'but not for a code that its list does not name',
      { error_class: 'exit_nonzero', exit_code: 1 },
      { max_attempts: 2, retry_on: ['exit:75'] },
      'end exit_nonzero',
    ],
    [
      'and for one that it names',
      { error_class: 'exit_nonzero', exit_code: 75 },
      { max_attempts: 2, retry_on: ['exit:75'] },
      'user 5000',
    ],
    [
      'a second wait is twice the first',
      { error_class: 'timeout' },
      { attempt: 2, max_attempts: 3 },
      'user 10000',
    ],
    [
      'no wait is longer than ten minutes',
      { error_class: 'timeout' },
      { attempt: 9, max_attempts: 10 },
      'user 600000',
    ],
    [
      "attempts lost to the platform are not the user's",
      { error_class: 'timeout' },
      { attempt: 3, max_attempts: 2, system_faults: 2 },
      'user 5000',
    ],
    [
      'a fault of the platform is tried again on its account',
      { error_class: 'image_pull' },
      {},
      'system 5000',
    ],
    [
      'three times',
      { error_class: 'image_pull' },
      { system_faults: 3, attempt: 4 },
      'end image_pull',
    ],
    [
      'and being stopped on purpose uses none of it up',
      { error_class: 'lost_worker' },
      { system_faults: 5, evictions: 4, attempt: 6 },
      'system 10000',
    ],
    [
      'what took three workers is poison',
      { error_class: 'lost_worker' },
      { workers_lost: 3, system_faults: 2, attempt: 3 },
      'end poison',
    ],
    [
      'a full disk of the worker is no fault of the program',
      { error_class: 'disk_full' },
      {},
      'system 5000',
    ],
    [
      'a program that wrote more than it may is not tried again by itself',
      { error_class: 'disk_limit' },
      {},
      'end disk_limit',
    ],
    [
      'and as often as its definition says otherwise',
      { error_class: 'disk_limit' },
      { max_attempts: 2, retry_on: ['disk_limit'] },
      'user 5000',
    ],
    [
      'wrong credentials stay wrong',
      { error_class: 'registry_auth' },
      { max_attempts: 5 },
      'end registry_auth',
    ],
    [
      'a missing output stays missing',
      { error_class: 'output_missing' },
      { max_attempts: 5 },
      'end output_missing',
    ],
  ];
  for (const [title, failure, over, wanted] of table) {
    it(title, () => {
      const verdict = afterFailure(failure, { ...budget, ...over }, 1);
      const words = verdict.retry
        ? `${verdict.system ? 'system' : 'user'} ${verdict.delay_ms}`
        : `end ${verdict.error_class}`;
      assert.equal(words, wanted);
    });
  }

  it('memory grows by half after running out of it', () => {
    const verdict = afterFailure({ error_class: 'oom' }, { ...budget, max_attempts: 2 }, 0);
    assert.deepEqual(verdict, { retry: true, system: false, delay_ms: 2500, memory_factor: 1.5 });
  });

  it('work given back by a worker that was stopped goes on at once, as often as that happens', () => {
    const verdict = afterFailure(
      { error_class: 'evicted' },
      { ...budget, system_faults: 9, attempt: 10 },
      1,
    );
    assert.deepEqual(verdict, { retry: true, system: true, delay_ms: 0, memory_factor: 1 });
  });
});
