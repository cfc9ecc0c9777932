import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { reasonOf } from './reasons.ts';

describe('reasonOf', () => {
  const table: [Parameters<typeof reasonOf>[0], string | undefined][] = [
    [{}, undefined],
    [{ queue_reason: 'no worker is online' }, 'No worker is online'],
    [{ skip_reason: 'upstream_failed' }, 'Left out, because an earlier step failed.'],
    [{ skip_reason: 'of a later release' }, 'Left out.'],
    [{ error_message: 'exit code 1: no such file' }, 'Exit code 1: no such file'],
  ];
  for (const [row, words] of table) {
    it(`of ${JSON.stringify(row)} is ${words}`, () => assert.equal(reasonOf(row), words));
  }
});
