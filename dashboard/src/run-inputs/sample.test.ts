import { ApiError } from '@cogworks/sdk/errors';
import { describe, expect, it } from 'vitest';
import { isComplete, isGone, withoutDefaults } from './sample.ts';

const width = { variable_name: 'width', required: true };
const over = (cog_ids: number[], variables = {}) => ({ cog_ids, variables });

describe('a sample is complete', () => {
  it.each([
    ['without a file', over([]), { needsFiles: true, variables: [] }, false],
    ['with a file', over([7]), { needsFiles: true, variables: [] }, true],
    ['without a file that nobody takes', over([]), { needsFiles: false, variables: [] }, true],
    ['without a required value', over([7]), { needsFiles: true, variables: [width] }, false],
    ['with it', over([7], { width: 0 }), { needsFiles: true, variables: [width] }, true],
    [
      'without one that has a default',
      over([7]),
      { needsFiles: true, variables: [{ ...width, default: 3 }] },
      true,
    ],
    [
      'without one that may be missing',
      over([7]),
      { needsFiles: true, variables: [{ ...width, required: false }] },
      true,
    ],
  ])('%s', (_, sample, asked, expected) => {
    expect(isComplete(sample, asked)).toBe(expected);
  });
});

it('a sample keeps the values that are not the default, which may change', () => {
  const asked = [
    { variable_name: 'width', default: 800 },
    { variable_name: 'height', default: 600 },
    { variable_name: 'sharpen', default: true },
    { variable_name: 'label' },
  ];
  const values = { width: 800, height: 300, sharpen: false, label: 'a' };
  expect(withoutDefaults(values, asked)).toEqual({ height: 300, sharpen: false, label: 'a' });
});

it.each([
  ['is deleted', new ApiError(404, {}), true],
  ['is of somebody else', new ApiError(403, {}), true],
  ['does not fit', new ApiError(422, {}), false],
  ['cannot be looked at now', new TypeError('network'), false],
])('a sample that %s', (_, error, expected) => {
  expect(isGone(error)).toBe(expected);
});
