import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assignFiles, mediaTypeMatches, mediaTypesOverlap } from './assign.ts';

describe('a pattern of media types', () => {
  const cases: [pattern: string, type: string, matches: boolean][] = [
    ['image/png', 'image/png', true],
    ['image/png', 'image/jpeg', false],
    ['image/*', 'image/svg+xml', true],
    ['image/*', 'imagery/x', false],
    ['*/*', 'application/octet-stream', true],
    ['*', 'text/plain', true],
    ['IMAGE/PNG', 'image/png', true],
    ['text/plain', 'Text/Plain; charset=utf-8', true],
    ['text/plain;charset=utf-8', 'text/plain', true],
    ['text', 'text/plain', false],
    ['text/plain', '', false],
  ];
  for (const [pattern, type, matches] of cases) {
    it(`${pattern} ${matches ? 'takes' : 'does not take'} "${type}"`, () => {
      assert.equal(mediaTypeMatches(pattern, type), matches);
    });
  }

  it('overlaps with another where a file could satisfy both', () => {
    assert.equal(mediaTypesOverlap(['image/*'], ['image/png']), true);
    assert.equal(mediaTypesOverlap(['image/png'], ['text/*', 'image/*']), true);
    assert.equal(mediaTypesOverlap(['image/*'], ['text/*']), false);
    assert.equal(mediaTypesOverlap(undefined, ['text/*']), true);
    assert.equal(mediaTypesOverlap(['image/*'], []), true);
  });
});

describe('the files of a run', () => {
  const files = (...types: string[]) => types.map((media_type) => ({ media_type }));
  const brief = ({ assigned, faults }: ReturnType<typeof assignFiles>) => ({
    assigned: Object.fromEntries(assigned),
    faults: faults.map(({ code, index, input }) => [code, index ?? input]),
  });

  it('all go to the only input', () => {
    const answer = assignFiles([{ name: 'files' }], files('image/png', 'text/plain'));
    assert.deepEqual(brief(answer), { assigned: { files: [0, 1] }, faults: [] });
  });

  it('are refused by the only input when it does not take their type', () => {
    const inputs = [{ name: 'files', media_types: ['image/*'] }];
    const answer = assignFiles(inputs, files('image/png', 'text/plain', 'text/csv'));
    const faults = [
      ['no_matching_input', 1],
      ['no_matching_input', 2],
    ];
    assert.deepEqual(brief(answer), { assigned: { files: [0] }, faults });
  });

  it('go to the first input that takes their type, in their order', () => {
    const inputs = [{ name: 'images', media_types: ['image/*'] }, { name: 'rest' }];
    const answer = assignFiles(inputs, files('text/csv', 'image/png', 'text/plain', 'image/gif'));
    assert.deepEqual(brief(answer), { assigned: { images: [1, 3], rest: [0, 2] }, faults: [] });
  });

  it('go on to the next input when one takes a single file', () => {
    const limits = new Map([['reference', { min: 1, max: 1 }]]);
    const inputs = [{ name: 'reference' }, { name: 'samples' }];
    const answer = assignFiles(inputs, files('a/a', 'a/a', 'a/a'), limits);
    assert.deepEqual(brief(answer), { assigned: { reference: [0], samples: [1, 2] }, faults: [] });
  });

  it('can be too many or too few', () => {
    const limits = new Map([['file', { min: 1, max: 1 }]]);
    const inputs = [{ name: 'file' }];
    assert.deepEqual(brief(assignFiles(inputs, files('a/a', 'a/a'), limits)).faults, [
      ['too_many_files', 1],
    ]);
    assert.deepEqual(brief(assignFiles(inputs, [], limits)).faults, [['too_few_files', 'file']]);
  });

  it('have nowhere to go in a graph without inputs', () => {
    assert.deepEqual(brief(assignFiles([], files('a/a'))).faults, [['no_matching_input', 0]]);
  });
});
