import { expect, it } from 'vitest';
import { hasOwnFile, isOwnVersion, outcomeWords, sampleOutcome } from './first-steps.ts';

const sample = (name: string, is_damaged = false) => ({
  ...{ name, is_damaged, media_type: 'text/plain', size_bytes: name.length },
});
const templates = [{ samples: [sample('a.txt'), sample('bad.txt', true)] }, {}];
const file = (name: string, status: 'success' | 'failure' | 'skipped' = 'success') => ({
  ...{ name, status, size_bytes: name.length },
});

it('knows copies of samples by name and size', () => {
  expect(hasOwnFile([file('a.txt'), file('bad.txt')], templates)).toBe(false);
  expect(hasOwnFile([{ name: 'a.txt', size_bytes: 99 }], templates)).toBe(true);
  expect(hasOwnFile([file('a.txt'), file('mine.txt')], templates)).toBe(true);
});

it('says how many samples worked, and which were damaged on purpose', () => {
  expect(sampleOutcome([file('a.txt'), file('bad.txt', 'failure')], templates)).toEqual({
    ...{ worked: 1, all: 2, damaged: ['bad.txt'], others: 0 },
  });
  expect(sampleOutcome([file('mine.txt', 'failure')], templates)).toBeUndefined();
  expect(sampleOutcome([], templates)).toBeUndefined();
});

it('says that all went well only if it did', () => {
  const words = (status: Parameters<typeof outcomeWords>[1], ...files: ReturnType<typeof file>[]) =>
    outcomeWords(sampleOutcome(files, templates) as never, status);
  const [good, bad] = [file('a.txt'), file('bad.txt', 'failure')];
  expect(words('success', good)).toMatch(/^All went well/);
  expect(words('partial_success', good, bad)).toMatch(/damaged on purpose: one bad file does not/);
  expect(words('failure', file('a.txt', 'failure'))).toMatch(/^This should not happen/);
  expect(words('failure', file('a.txt', 'failure'), bad)).toMatch(/^This should not happen/);
  // All files were read, and then a step for all of them failed.
  expect(words('failure', good)).toMatch(/^This should not happen/);
  expect(words('cancelled', file('a.txt', 'skipped'))).toMatch(/^The run was cancelled/);
});

it('counts a version as one’s own that is published and not the first', () => {
  const version = {
    ...{ id: 1, workflow_id: 1, version_number: 2, state: 'published' as const, created_by: 7 },
    ...{ graph_hash: '', logic_hash: '', node_count: 1, input_count: 1, created_at: '' },
  };
  expect(isOwnVersion(version, 7)).toBe(true);
  expect(isOwnVersion(version, 8)).toBe(false);
  expect(isOwnVersion({ ...version, version_number: 1 }, 7)).toBe(false);
  expect(isOwnVersion({ ...version, state: 'draft' }, 7)).toBe(false);
});
